package ingest

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"runtime/debug"
	"strings"
	"sync"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
	"errand/similar"
	"errand/store/intake"
	"errand/triage"
)

// hints is what a request says about the events in it.
func (i *Ingest) hints(q *request) envelope.Hints {
	return envelope.Hints{ReceivedAt: q.received.Time, PeerIP: q.clientAddress(), SDK: q.client, Browser: q.browser}
}

// entry is one event to add and what became of it: added, or err when it was refused or failed.
type entry struct {
	event    intake.NewEvent
	captured capturedKeys
	added    intake.Added
	err      error
}

var decoders = sync.Pool{New: func() any { return new(envelope.Decoder) }}

// prepare decodes an event and makes it ready to be stored. It keeps nothing of what decode reads, nor of the decoder's
// room. A panic in the pipeline is the failure of this event alone.
func (i *Ingest) prepare(q *request, p *project, decode func(*envelope.Decoder) (*core.Event, error)) (e entry, err error) {
	decoder := decoders.Get().(*envelope.Decoder)
	defer decoders.Put(decoder)
	defer decoder.Reset()
	err = guard(func() error {
		event, err := decode(decoder)
		if err != nil {
			return err
		}
		e.event, err = i.process(p, q, event)
		e.captured = i.captured.keysOf(p.ID, event)
		return err
	})
	return e, err
}

// guard makes an error of a panic.
func guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("ingest: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// process takes a decoded event through the rest of the pipeline: scrub, group, limit, pack. The order matters: the user
// is hashed before his fields are masked, nothing is grouped by a secret, and nothing is cut before it is scrubbed.
func (i *Ingest) process(p *project, q *request, e *core.Event) (intake.NewEvent, error) {
	event := intake.NewEvent{
		ProjectID: p.ID, DailyQuota: p.DailyQuota, ReceivedAt: q.received, OccurredAt: e.Timestamp, User: i.userHash(p.ID, e.Identity),
		Source: envelope.SourceOf(string(e.SDK.Name), e.Platform),
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
	event.Level, event.Platform = strings.Clone(e.Level), strings.Clone(e.Platform)
	event.Title, event.Culprit, event.Type = own(e.Title), own(e.Culprit), own(grouping.Type(e))
	event.Release, event.Environment = own(e.Release), own(e.Environment)
	if i.store.Intake.MayBeNew(&event) {
		event.Crash, event.Features = triage.CrashOf(e), similar.OfEvent(e)
	}
	i.pack(q.patience, &event, e)
	return event, nil
}

// own copies a part of the event's text, which would stay in memory as a whole while the event waits for its commit.
func own(part core.Untrusted) string { return strings.Clone(string(part)) }

// userHash is what is stored of a user: keyed, so that nobody can try addresses against it, and per project.
func (i *Ingest) userHash(projectID int64, identity string) (sum [16]byte) {
	if identity == "" {
		return sum
	}
	mac := i.macs.Get().(hash.Hash)
	defer i.macs.Put(mac)
	mac.Reset()
	fmt.Fprintf(mac, "%d\x00%s", projectID, identity)
	copy(sum[:], mac.Sum(nil))
	return sum
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// pack makes the stored form of the event.
func (i *Ingest) pack(ctx context.Context, event *intake.NewEvent, e *core.Event) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = e.AppendJSON((*buffer)[:0])
	i.store.Intake.Pack(ctx, event, *buffer)
}

// commit hands the entries to the writer and waits until each of them is stored or refused. What the request held for
// its body is given back before. What was captured is remembered, unless it is exported.
func (i *Ingest) commit(q *request, entries []entry) error {
	held := int64(perRequest)
	for k := range entries {
		held += int64(entries[k].event.Payload.Size())
	}
	q.dropBody(held)
	if err := i.writer.add(q.patience, entries); err != nil || q.export != nil {
		return err
	}
	for k := range entries {
		if entries[k].err == nil {
			i.captured.add(entries[k].captured)
		}
	}
	return nil
}
