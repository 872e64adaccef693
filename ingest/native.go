package ingest

import (
	"encoding/hex"
	"maps"
	"net/url"
	"slices"

	"errand/core"
	"errand/envelope"
)

// serveNative serves POST /v1/ingest (core.IngestEvent).
func (i *Ingest) serveNative(r *httpRequest) (any, error) {
	project, err := i.admitSender(r, nativeKey(r.Request))
	if err != nil {
		return nil, err
	}
	if err := checkQuery(r.URL.RawQuery); err != nil {
		return nil, err
	}
	receipt, err := i.takeNative(r, project, false)
	if err != nil {
		return nil, err
	}
	return core.Data[core.Receipt]{Data: receipt}, nil
}

// takeNative stores the native event in the body.
func (i *Ingest) takeNative(r *httpRequest, project *knownProject, isTest bool) (core.Receipt, error) {
	events, err := i.takeSingleEvent(r, project, false, (*envelope.Decoder).DecodeNative)
	if err != nil {
		return core.Receipt{}, err
	}
	events[0].event.Test = isTest
	if err := i.commitEvents(r, events); err != nil {
		return core.Receipt{}, err
	}
	if events[0].err != nil {
		return core.Receipt{}, events[0].err
	}
	added := events[0].added
	return core.Receipt{
		EventID: events[0].formatID(), ID: core.OptInt(added.ID), IssueID: added.IssueID, Duplicate: added.Duplicate,
	}, nil
}

// checkQuery refuses every field of a query except the key.
func checkQuery(raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return core.RefuseField("", "the query must be name=value pairs joined by &, with %%XX for special characters")
	}
	delete(query, "key")
	if len(query) == 0 {
		return nil
	}
	failure := core.NewError(core.InvalidRequest)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		failure.Details = append(failure.Details, core.Detail{Path: name, Message: "is not a known field; the query takes only key"})
	}
	return failure
}

// formatID returns the event's id as clients write it.
func (e *pendingEvent) formatID() string { return hex.EncodeToString(e.event.EventID[:]) }

// takeSingleEvent reads a body that is one event and prepares it for storage. A body that may be wrapped is unwrapped, as
// unwrapBase64 does.
func (i *Ingest) takeSingleEvent(
	r *httpRequest, project *knownProject, mayBeWrapped bool, decode func(*envelope.Decoder, []byte, envelope.Hints) (*core.Event, error),
) (events []pendingEvent, err error) {
	i.reporter.noteAlive(project.ID, r.receivedAt)
	defer func() {
		if err != nil {
			i.metrics.countLost(err, 1)
		}
	}()
	if err := i.quotas.checkQuota(project, r.receivedAt); err != nil {
		return nil, err
	}
	if err := i.readBody(r); err != nil {
		return nil, err
	}
	events = make([]pendingEvent, 1)
	err = i.openBody(r, mayBeWrapped, func(text []byte) (err error) {
		if mayBeWrapped {
			if typ := envelope.TypeOfEvent(text); typ != envelope.EventItem {
				i.metrics.items[typ].Inc()
				events = nil
				return nil
			}
		}
		events[0], err = i.prepareEvent(r, project, func(d *envelope.Decoder) (*core.Event, error) { return decode(d, text, i.hintsFor(r)) })
		return err
	})
	return events, err
}
