package ingest

import (
	"errors"
	"slices"

	"errand/core"
	"errand/envelope"
)

// receipt is the answer to a Sentry SDK: the id of the event, nothing when there was none.
type receipt struct {
	ID string `json:"id,omitempty"`
}

// envelope serves POST /api/{project}/envelope/.
func (i *Ingest) envelope(q *request) (any, error) {
	who := credentialsOf(q.Request)
	q.client, q.hasItems = who.client, true
	var p *project
	var err error
	if who.key != "" { // else the envelope itself may name its DSN: then the body must be read first
		if p, err = i.admit(q, who.key); err != nil {
			return nil, err
		}
	}
	entries, err := i.takeEnvelope(q, p)
	if err != nil {
		return nil, err
	}
	return i.commitAny(q, entries)
}

// takeEnvelope reads the envelope and makes its events ready to be stored. Without a project the envelope must name it.
func (i *Ingest) takeEnvelope(q *request, p *project) (entries []entry, err error) {
	if err := i.readBody(q); err != nil {
		return nil, err
	}
	if p == nil {
		if p, err = i.admitByDSN(q); err != nil {
			return nil, err
		}
	}
	return i.takeItems(q, p, envelope.SplitEnvelope)
}

// takeItems takes the body apart, and makes the events in it ready to be stored.
func (i *Ingest) takeItems(q *request, p *project, split func([]byte) (envelope.Envelope, error)) (entries []entry, err error) {
	err = i.open(q, false, func(text []byte) error {
		env, err := split(text)
		if err != nil {
			return core.Invalid("", "%s", err)
		}
		entries, err = i.items(q, p, env)
		return err
	})
	return entries, err
}

// admitByDSN admits a request without a key of its own, such as one through a tunnel.
func (i *Ingest) admitByDSN(q *request) (*project, error) {
	line, err := i.unpackers.firstLine(q.patience, *q.body, q.encoding)
	if err != nil {
		return nil, err
	}
	env, err := envelope.SplitEnvelope(line)
	if err != nil {
		return nil, core.Invalid("", "%s", err)
	}
	return i.admit(q, keyOfDSN(env.Header.DSN))
}

// items prepares the events of an envelope. An item that cannot be taken is told to the sender and never breaks its
// neighbours; it is an error when there are no others.
func (i *Ingest) items(q *request, p *project, env envelope.Envelope) ([]entry, error) {
	for _, problem := range env.Problems {
		q.problem(problem.Path, problem.Reason)
	}
	var entries []entry
	var failed error
	good, hints := 0, i.hints(q)
	hints.EventID = env.Header.EventID
	if env.Header.SDK != "" {
		hints.SDK = env.Header.SDK
	}
	envelope.DropFeedback(env.Items)
	events, alive := i.metrics.countItems(env.Items)
	if alive {
		i.reporter.alive(p.ID, q.received)
	}
	if events > 0 {
		if err := i.quotas.check(p, q.received); err != nil {
			i.metrics.lost(err, events)
			return nil, err
		}
	}
	for _, item := range env.Items {
		if item.Kind != envelope.Event {
			good++
			continue
		}
		e, err := i.prepare(q, p, func(d *envelope.Decoder) (*core.Event, error) { return decodeItem(d, item, hints) })
		switch {
		case err == nil:
			good++
			entries = append(entries, e)
			hints.EventID = "" // the header's id is that of one event
		case core.HasCode(err, core.InvalidRequest):
			i.metrics.lost(err, 1)
			q.problem("event", core.AsError(err).Details[0].Message)
		default:
			i.metrics.lost(err, 1)
			failed = errors.Join(failed, err)
		}
	}
	switch {
	case failed != nil && good == 0:
		return nil, failed
	case failed != nil:
		i.tell(q, failed)
	case good == 0 && len(q.problems) > 0:
		return nil, &core.Error{Code: core.InvalidRequest, Details: q.problems}
	}
	return entries, nil
}

// commitAny commits events of the Sentry protocol. Those that cannot be taken are told to the sender; it is an error
// when all are.
func (i *Ingest) commitAny(q *request, entries []entry) (any, error) {
	if len(entries) == 0 {
		return receipt{}, nil
	}
	if err := i.commit(q, entries); err != nil {
		return nil, err
	}
	taken := slices.IndexFunc(entries, func(e entry) bool { return e.err == nil })
	if taken < 0 {
		return nil, entries[0].err
	}
	for _, e := range entries {
		if e.err != nil {
			i.tell(q, e.err)
		}
	}
	return receipt{entries[taken].id()}, nil
}

func decodeItem(d *envelope.Decoder, item envelope.Item, hints envelope.Hints) (*core.Event, error) {
	if item.Type != envelope.ReportItem {
		return decode(d, item.Payload, hints)
	}
	event, err := d.DecodeReport(item.Payload, hints)
	if err != nil {
		return nil, core.Invalid("", "%s", err)
	}
	return event, nil
}

func decode(d *envelope.Decoder, payload []byte, hints envelope.Hints) (*core.Event, error) {
	event, err := d.Decode(payload, hints)
	if err != nil {
		return nil, core.Invalid("", "%s", err)
	}
	return event, nil
}

// storeEvent serves POST /api/{project}/store/: one event as the body.
func (i *Ingest) storeEvent(q *request) (any, error) {
	who := credentialsOf(q.Request)
	q.client = who.client
	p, err := i.admit(q, who.key)
	if err != nil {
		return nil, err
	}
	entries, err := i.takeOne(q, p, true, decode)
	if err != nil {
		return nil, err
	}
	return i.commitAny(q, entries)
}

// security serves POST /api/{project}/security/: what browsers report by themselves, such as violations of a
// Content-Security-Policy.
func (i *Ingest) security(q *request) (any, error) {
	who, query := credentialsOf(q.Request), q.URL.Query()
	q.client = who.client
	q.browser = &envelope.Browser{UserAgent: q.UserAgent(), Release: query.Get("sentry_release"), Environment: query.Get("sentry_environment")}
	p, err := i.admit(q, who.key)
	if err != nil {
		return nil, err
	}
	if err := i.readBody(q); err != nil {
		return nil, err
	}
	entries, err := i.takeItems(q, p, envelope.SplitReports)
	if err != nil {
		return nil, err
	}
	return i.commitAny(q, entries)
}
