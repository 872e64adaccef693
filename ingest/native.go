package ingest

import (
	"encoding/hex"
	"errors"

	"errand/core"
	"errand/envelope"
)

// native serves POST /v1/ingest (core.IngestEvent).
func (i *Ingest) native(q *request) (any, error) {
	p, err := i.admit(q, nativeKey(q.Request))
	if err != nil {
		return nil, err
	}
	if err := i.quotas.check(p, q.received); err != nil {
		return nil, err
	}
	if err := i.readBody(q); err != nil {
		return nil, err
	}
	entries := make([]entry, 1)
	err = i.open(q, false, func(text []byte) (err error) {
		entries[0], err = i.prepare(q, p, func() (*core.Event, error) {
			event, err := envelope.DecodeNative(text, i.hints(q))
			return event, invalid(err)
		})
		return err
	})
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

// id is the event's id as clients write it.
func (e *entry) id() string { return hex.EncodeToString(e.event.EventID[:]) }

// invalid gives a mistake in an event the form of the API's errors.
func invalid(err error) error {
	var fields envelope.FieldErrors
	if !errors.As(err, &fields) {
		return err
	}
	failure := core.NewError(core.InvalidRequest)
	for _, f := range fields {
		failure.Details = append(failure.Details, core.Detail{Path: f.Path, Message: f.Message})
	}
	return failure
}
