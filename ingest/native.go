package ingest

import (
	"context"
	"errors"

	"errand/core"
	"errand/envelope"
)

// native serves POST /v1/ingest (core.IngestEvent).
func (i *Ingest) native(ctx context.Context, q *request) (any, error) {
	p, err := i.admit(ctx, q, nativeKey(q.Request))
	if err != nil {
		return nil, err
	}
	body, err := readBody(ctx, q, maxNative)
	if err != nil {
		return nil, err
	}
	e, err := envelope.DecodeNative(body, i.hints(q, envelope.Header{}))
	if err != nil {
		return nil, invalid(err)
	}
	added, err := i.receive(ctx, p, q, []*core.Event{e})
	if err != nil {
		return nil, err
	}
	return core.Data[core.Receipt]{Data: core.Receipt{
		EventID: e.EventID, ID: core.OptInt(added[0].ID), IssueID: added[0].IssueID, Duplicate: added[0].Duplicate,
	}}, nil
}

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
