package ingest

import (
	"encoding/hex"
	"maps"
	"net/url"
	"slices"

	"errand/core"
	"errand/envelope"
)

// native serves POST /v1/ingest (core.IngestEvent).
func (i *Ingest) native(q *request) (any, error) {
	p, err := i.admit(q, nativeKey(q.Request))
	if err != nil {
		return nil, err
	}
	if err := checkQuery(q.URL.RawQuery); err != nil {
		return nil, err
	}
	entries, err := i.takeOne(q, p, false, (*envelope.Decoder).DecodeNative)
	if err != nil {
		return nil, err
	}
	if err := i.commit(q, entries); err != nil {
		return nil, err
	}
	if entries[0].err != nil {
		return nil, entries[0].err
	}
	added := entries[0].added
	return core.Data[core.Receipt]{Data: core.Receipt{
		EventID: entries[0].id(), ID: core.OptInt(added.ID), IssueID: added.IssueID, Duplicate: added.Duplicate,
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

// id is the event's id as clients write it.
func (e *entry) id() string { return hex.EncodeToString(e.event.EventID[:]) }

// takeOne reads a body that is one event and makes it ready to be stored. Wrapped, it may be wrapped as unwrap undoes it.
func (i *Ingest) takeOne(
	q *request, p *project, wrapped bool, decode func(*envelope.Decoder, []byte, envelope.Hints) (*core.Event, error),
) (entries []entry, err error) {
	i.reporter.alive(p.ID, q.received)
	defer func() {
		if err != nil {
			i.metrics.lost(err, 1)
		}
	}()
	if err := i.quotas.check(p, q.received); err != nil {
		return nil, err
	}
	if err := i.readBody(q); err != nil {
		return nil, err
	}
	entries = make([]entry, 1)
	err = i.open(q, wrapped, func(text []byte) (err error) {
		if wrapped && envelope.IsFeedback(text) {
			i.metrics.items["feedback"].Inc()
			entries = nil
			return nil
		}
		entries[0], err = i.prepare(q, p, func(d *envelope.Decoder) (*core.Event, error) { return decode(d, text, i.hints(q)) })
		return err
	})
	return entries, err
}
