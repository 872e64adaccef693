package ingest

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
	"errand/scrub"
	"errand/similar"
	"errand/store/intake"
	"errand/triage"
)

// hintsFor returns the facts in a request's headers about the events in its body.
func (i *Ingest) hintsFor(r *httpRequest) envelope.Hints {
	return envelope.Hints{ReceivedAt: r.receivedAt.Time, PeerIP: r.clientAddress(), SDK: r.sdk, Browser: r.browser}
}

// pendingEvent is an event that waits to be stored, and its outcome: added, or err when it was refused or failed.
type pendingEvent struct {
	event    intake.NewEvent
	captured capturedKeys
	added    intake.Added
	err      error
}

var decoders = sync.Pool{New: func() any { return new(envelope.Decoder) }}

// prepareEvent decodes an event and prepares it for storage. It keeps nothing that decode reads, and nothing of the decoder's
// buffers. A panic in the pipeline fails this event alone.
func (i *Ingest) prepareEvent(
	r *httpRequest, project *knownProject, decode func(*envelope.Decoder) (*core.Event, error),
) (prepared pendingEvent, err error) {
	decoder := decoders.Get().(*envelope.Decoder)
	defer decoders.Put(decoder)
	defer decoder.Reset()
	err = catchPanic(func() error {
		event, err := decode(decoder)
		if err != nil {
			return err
		}
		prepared.event, err = i.processEvent(project, r, event)
		prepared.captured = i.captured.keysOf(project.ID, event)
		return err
	})
	return prepared, err
}

// catchPanic calls a function and turns its panic into an error.
func catchPanic(call func() error) (err error) {
	defer core.CatchPanic(&err)
	return call()
}

// processEvent takes a decoded event through the rest of the pipeline: scrub, map, group, limit, pack. The order matters: the
// user is hashed before their fields are masked, no secret reaches the look-up of source maps, mapped text is scrubbed too,
// nothing is grouped by a secret, and nothing is cut before it is scrubbed.
func (i *Ingest) processEvent(p *knownProject, r *httpRequest, e *core.Event) (intake.NewEvent, error) {
	event := intake.NewEvent{
		ProjectID: p.ID, DailyQuota: p.DailyQuota, ReceivedAt: r.receivedAt, OccurredAt: e.Timestamp, User: i.hashUser(p.ID, e.Identity),
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
	e.ReceivedAt = r.receivedAt
	dist := scrub.CleanDist(string(e.Dist))
	release, environment := scrub.CleanRelease(string(e.Release)), scrub.CleanEnvironment(string(e.Environment))
	p.rules.ScrubEvent(e)
	event.Release = storeName(release, e.Release, core.MaxRelease)
	event.Environment = storeName(environment, e.Environment, core.MaxEnvironment)
	if i.maps.mapEvent(p, e, event.Release, dist) {
		p.rules.ScrubMapped(e)
	}
	key := grouping.ComputeKey(e)
	e.Title, e.Culprit = core.Untrusted(grouping.MakeTitle(e)), core.Untrusted(grouping.FindCulprit(e))
	envelope.LimitEvent(e)
	event.Fingerprint, event.Version = key.Hash, key.Version
	event.Level, event.Platform = strings.Clone(e.Level), strings.Clone(e.Platform)
	event.Title, event.Culprit, event.Type = copyText(e.Title), copyText(e.Culprit), copyText(grouping.FindType(e))
	if i.store.Intake.MayBeNew(&event) {
		event.Crash, event.Features = triage.FindCrash(e), similar.FeaturesOfEvent(e)
	}
	i.packEvent(r.waiting, &event, e)
	return event, nil
}

// storeName returns the stored form of a name (core.StoreName), made of the cleaned name and the scrubbed one. It makes a copy,
// as copyText does.
func storeName(cleaned string, scrubbed core.Untrusted, most int) string {
	return strings.Clone(core.StoreName(cleaned, core.OneLine(string(scrubbed), most)))
}

// copyText copies a part of the event's text. Without the copy, the part would keep the whole text in memory until the commit.
func copyText(part core.Untrusted) string { return strings.Clone(string(part)) }

// hashUser returns the stored hash of a user. It is keyed, so that nobody can test addresses against it, and differs by project.
func (i *Ingest) hashUser(projectID int64, identity string) (sum [16]byte) {
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

var packBuffers = sync.Pool{New: func() any { return new([]byte) }}

// packEvent makes the stored form of the event.
func (i *Ingest) packEvent(ctx context.Context, event *intake.NewEvent, e *core.Event) {
	buffer := packBuffers.Get().(*[]byte)
	defer packBuffers.Put(buffer)
	*buffer = e.AppendJSON((*buffer)[:0])
	i.store.Intake.PackEvent(ctx, event, *buffer)
}

// commitEvents hands the events to the writer and waits until each is stored or refused. The body's memory is freed first. It
// remembers the exceptions that an SDK captured, and not the exceptions of an export.
func (i *Ingest) commitEvents(r *httpRequest, events []pendingEvent) error {
	kept := int64(perRequest)
	for k := range events {
		kept += int64(events[k].event.Payload.Size())
	}
	r.dropBody(kept)
	if err := i.writer.commitEvents(r.waiting, events); err != nil || r.export != nil {
		return err
	}
	for k := range events {
		if events[k].err == nil {
			i.captured.addKeys(events[k].captured)
		}
	}
	return nil
}
