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
	entries, err := i.takeSingleEvent(r, project, false, (*envelope.Decoder).DecodeNative)
	if err != nil {
		return nil, err
	}
	if err := i.commitEvents(r, entries); err != nil {
		return nil, err
	}
	if entries[0].err != nil {
		return nil, entries[0].err
	}
	added := entries[0].added
	return core.Data[core.Receipt]{Data: core.Receipt{
		EventID: entries[0].formatID(), ID: core.OptInt(added.ID), IssueID: added.IssueID, Duplicate: added.Duplicate,
	}}, nil
}

// checkQuery refuses fields of a query that are not known: the key is the only one that is.
func checkQuery(raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return core.Invalid("", "the query must be name=value pairs joined by &, with %%XX for special characters")
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

// formatID is the event's id as clients write it.
func (e *pendingEvent) formatID() string { return hex.EncodeToString(e.event.EventID[:]) }

// takeSingleEvent reads a body that is one event and makes it ready to be stored. Wrapped, it may be wrapped as unwrap undoes it.
func (i *Ingest) takeSingleEvent(
	r *httpRequest, project *knownProject, wrapped bool, decode func(*envelope.Decoder, []byte, envelope.Hints) (*core.Event, error),
) (entries []pendingEvent, err error) {
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
	entries = make([]pendingEvent, 1)
	err = i.openBody(r, wrapped, func(text []byte) (err error) {
		if wrapped && envelope.IsFeedback(text) {
			i.metrics.items["feedback"].Inc()
			entries = nil
			return nil
		}
		entries[0], err = i.prepareEvent(r, project, func(d *envelope.Decoder) (*core.Event, error) { return decode(d, text, i.hintsFor(r)) })
		return err
	})
	return entries, err
}
