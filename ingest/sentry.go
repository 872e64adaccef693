package ingest

import (
	"context"
	"strings"

	"errand/core"
	"errand/envelope"
)

// receipt is the answer to a Sentry SDK: the id of the event, nothing when there was none.
type receipt struct {
	ID string `json:"id,omitempty"`
}

// envelope serves POST /api/{project}/envelope/.
func (i *Ingest) envelope(ctx context.Context, q *request) (any, error) {
	key := sentryKey(q.Request)
	var p *project
	var err error
	if key != "" { // else the envelope itself may name its DSN: then the body must be read first
		if p, err = i.admit(ctx, q, key); err != nil {
			return nil, err
		}
	}
	body, err := readBody(ctx, q, maxEnvelope)
	if err != nil {
		return nil, err
	}
	env, err := envelope.Split(body)
	if err != nil {
		return nil, core.Invalid("", "%s", err)
	}
	if p == nil {
		key, _ = keyOfDSN(env.Header.DSN)
		if p, err = i.admit(ctx, q, key); err != nil {
			return nil, err
		}
	}
	return i.items(ctx, p, q, env)
}

// items takes the events of an envelope in. A malformed item is reported in a header and never breaks its neighbours.
func (i *Ingest) items(ctx context.Context, p *project, q *request, env envelope.Envelope) (any, error) {
	var events []*core.Event
	problems := make([]string, 0, len(env.Problems))
	for _, problem := range env.Problems {
		problems = append(problems, problem.Path+": "+problem.Reason)
	}
	hints := i.hints(q, env.Header)
	for _, item := range env.Items {
		if item.Kind != envelope.Event {
			continue
		}
		e, err := envelope.Decode(item.Payload, hints)
		if err != nil {
			problems = append(problems, "event: "+err.Error())
			continue
		}
		events = append(events, e)
		hints.EventID = "" // the header's id is that of one event
	}
	if len(problems) > 0 {
		q.w.Header().Set("X-Sentry-Error", headerText(strings.Join(problems, "; ")))
	}
	if len(events) == 0 {
		if len(problems) > 0 && len(env.Items) == 0 {
			return nil, core.Invalid("", "%s", strings.Join(problems, "; "))
		}
		return receipt{env.Header.EventID}, nil
	}
	if _, err := i.receive(ctx, p, q, events); err != nil {
		return nil, err
	}
	return receipt{events[0].EventID}, nil
}

// headerText makes a text fit for a header.
func headerText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 500)]
}

// storeEvent serves POST /api/{project}/store/: one event as the body.
func (i *Ingest) storeEvent(ctx context.Context, q *request) (any, error) {
	p, err := i.admit(ctx, q, sentryKey(q.Request))
	if err != nil {
		return nil, err
	}
	body, err := readBody(ctx, q, maxEnvelope)
	if err != nil {
		return nil, err
	}
	if body, err = unwrapBase64(ctx, q, body); err != nil {
		return nil, err
	}
	e, err := envelope.Decode(body, i.hints(q, envelope.Header{}))
	if err != nil {
		return nil, core.Invalid("", "%s", err)
	}
	if _, err := i.receive(ctx, p, q, []*core.Event{e}); err != nil {
		return nil, err
	}
	return receipt{e.EventID}, nil
}
