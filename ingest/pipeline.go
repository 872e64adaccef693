package ingest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"sync"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
	"errand/store"
)

// hints is what a request says about the events in it.
func (i *Ingest) hints(q *request, header envelope.Header) envelope.Hints {
	peer, _, _ := net.SplitHostPort(q.RemoteAddr)
	return envelope.Hints{ReceivedAt: q.received.Time, PeerIP: peer, EventID: header.EventID, SDK: header.SDK}
}

// process takes a decoded event through the rest of the pipeline: scrub, group, limit, pack. The order matters: the user
// is hashed before his fields are masked, nothing is grouped by a secret, and nothing is cut before it is scrubbed.
func (i *Ingest) process(p *project, q *request, e *core.Event) (store.NewEvent, error) {
	event := store.NewEvent{
		ProjectID: p.ID, ReceivedAt: q.received, OccurredAt: e.Timestamp, User: i.userHash(p.ID, e.Identity),
		Source: core.Source(envelope.SourceOf(string(e.SDK.Name), e.Platform)), Test: e.Tags.Get("service.test").Text == "true",
	}
	if e.EventID == "" {
		var id [16]byte
		if _, err := io.ReadFull(i.random, id[:]); err != nil {
			return event, fmt.Errorf("ingest: random source: %w", err)
		}
		e.EventID = hex.EncodeToString(id[:])
	}
	if n, err := hex.Decode(event.EventID[:], []byte(e.EventID)); err != nil || n != len(event.EventID) {
		return event, fmt.Errorf("ingest: the decoder gave the event id %q", e.EventID)
	}
	e.ReceivedAt = q.received
	p.rules.Event(e)
	key := grouping.Of(e)
	e.Title, e.Culprit = core.Untrusted(grouping.Title(e)), core.Untrusted(grouping.Culprit(e))
	envelope.Limit(e)
	event.Fingerprint, event.Version = key.Hash, key.Version
	event.Title, event.Culprit, event.Type = string(e.Title), string(e.Culprit), exceptionType(e)
	event.Level, event.Platform, event.Release, event.Environment = e.Level, e.Platform, string(e.Release), string(e.Environment)
	event.Payload = pack(e)
	return event, nil
}

// exceptionType is the type of the exception that was reported; empty for a message.
func exceptionType(e *core.Event) string {
	if len(e.Exceptions) == 0 {
		return ""
	}
	return string(e.Exceptions[0].Type)
}

// userHash is what is stored of a user: keyed, so that nobody can try addresses against it, and per project.
func (i *Ingest) userHash(projectID int64, identity string) (hash [16]byte) {
	if identity == "" {
		return hash
	}
	mac := hmac.New(sha256.New, i.installKey)
	fmt.Fprintf(mac, "%d\x00%s", projectID, identity)
	copy(hash[:], mac.Sum(nil))
	return hash
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// pack makes the stored form of an event.
func pack(e *core.Event) []byte {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = e.AppendJSON((*buffer)[:0])
	return store.Pack(*buffer)
}

// receive takes decoded events through the pipeline and waits until they are committed.
func (i *Ingest) receive(ctx context.Context, p *project, q *request, events []*core.Event) ([]store.Added, error) {
	list := make([]store.NewEvent, len(events))
	for n, e := range events {
		var err error
		if list[n], err = i.process(p, q, e); err != nil {
			return nil, err
		}
	}
	return i.writer.add(ctx, list)
}
