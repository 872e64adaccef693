package ingest

import (
	"errors"
	"slices"

	"errand/core"
	"errand/envelope"
)

// sentryReceipt is the answer to a Sentry SDK: the id of the event, or nothing when there was none.
type sentryReceipt struct {
	ID string `json:"id,omitempty"`
}

// serveEnvelope serves POST /api/{project}/envelope/.
func (i *Ingest) serveEnvelope(r *httpRequest) (any, error) {
	auth := credentialsOf(r.Request)
	r.sdk, r.isEnvelope, r.hasKey = auth.sdk, true, auth.key != ""
	if r.hasKey { // otherwise the envelope may name its DSN, which readBody looks for
		if _, err := i.admitSender(r, auth.key); err != nil {
			return nil, err
		}
	}
	if err := i.readBody(r); err != nil {
		return nil, err
	}
	events, err := i.takeItems(r, r.project, envelope.SplitEnvelope)
	if err != nil {
		return nil, err
	}
	return i.commitAndAnswer(r, events)
}

// takeItems splits the body, and prepares its events for storage.
func (i *Ingest) takeItems(
	r *httpRequest, project *knownProject, split func([]byte) (envelope.Envelope, error),
) (events []pendingEvent, err error) {
	err = i.openBody(r, false, func(text []byte) error {
		env, err := split(text)
		if err != nil {
			return core.RefuseField("", "%s", err)
		}
		events, err = i.prepareItems(r, project, env)
		return err
	})
	return events, err
}

// prepareItems prepares the events of an envelope. The answer tells the sender of an item that cannot be taken, which never
// affects its neighbours. It is an error when no item is good.
func (i *Ingest) prepareItems(r *httpRequest, project *knownProject, env envelope.Envelope) ([]pendingEvent, error) {
	for _, problem := range env.Problems {
		r.noteProblem(problem.Path, problem.Reason)
	}
	envelope.CorrectTypes(env.Items)
	if err := i.admitItems(r, project, env.Items); err != nil {
		return nil, err
	}
	events, failure := i.prepareEventItems(r, project, env)
	isAnyGood := len(events) > 0 || slices.ContainsFunc(env.Items, isDropped)
	switch {
	case failure != nil && !isAnyGood:
		return nil, failure
	case failure != nil:
		i.noteRefusedEvent(r, failure)
	case !isAnyGood && len(r.problems) > 0:
		return nil, &core.Error{Code: core.InvalidRequest, Details: r.problems}
	}
	return events, nil
}

// isDropped reports whether an item is accepted but not stored, such as a session.
func isDropped(item envelope.Item) bool { return item.Kind != envelope.Event }

// admitItems counts the items and notes whether they show that the project is alive. Events over the quota are an error.
func (i *Ingest) admitItems(r *httpRequest, project *knownProject, items []envelope.Item) error {
	events, isAlive := i.metrics.countItems(items)
	if isAlive {
		i.reporter.noteAlive(project.ID, r.receivedAt)
	}
	if events == 0 {
		return nil
	}
	err := i.quotas.checkQuota(project, r.receivedAt)
	if err != nil {
		i.metrics.countLost(err, events)
	}
	return err
}

// prepareEventItems prepares the items that are events. Mistakes of the sender become problems of the request; the returned error
// is a failure of the server.
func (i *Ingest) prepareEventItems(r *httpRequest, project *knownProject, env envelope.Envelope) (events []pendingEvent, failure error) {
	hints := i.hintsFor(r)
	hints.EventID = env.Header.EventID
	if env.Header.SDK != "" {
		hints.SDK = env.Header.SDK
	}
	for _, item := range env.Items {
		if isDropped(item) {
			continue
		}
		event, err := i.prepareEvent(r, project, func(d *envelope.Decoder) (*core.Event, error) { return decodeItem(d, item, hints) })
		if err == nil {
			events = append(events, event)
			hints.EventID = "" // the header's id is that of one event
			continue
		}
		i.metrics.countLost(err, 1)
		if core.HasCode(err, core.InvalidRequest) {
			r.noteProblem("event", core.AsError(err).Details[0].Message)
		} else {
			failure = errors.Join(failure, err)
		}
	}
	return events, failure
}

// commitAndAnswer commits events of the Sentry protocol. The answer tells the sender of events that cannot be taken. It is an
// error when none can be.
func (i *Ingest) commitAndAnswer(r *httpRequest, events []pendingEvent) (any, error) {
	if len(events) == 0 {
		return sentryReceipt{}, nil
	}
	if err := i.commitEvents(r, events); err != nil {
		return nil, err
	}
	taken := slices.IndexFunc(events, func(e pendingEvent) bool { return e.err == nil })
	if taken < 0 {
		return nil, events[0].err
	}
	for _, e := range events {
		if e.err != nil {
			i.noteRefusedEvent(r, e.err)
		}
	}
	return sentryReceipt{events[taken].formatID()}, nil
}

func decodeItem(d *envelope.Decoder, item envelope.Item, hints envelope.Hints) (*core.Event, error) {
	if item.Type != envelope.ReportItem {
		return decodeEvent(d, item.Payload, hints)
	}
	event, err := d.DecodeReport(item.Payload, hints)
	if err != nil {
		return nil, core.RefuseField("", "%s", err)
	}
	return event, nil
}

func decodeEvent(d *envelope.Decoder, payload []byte, hints envelope.Hints) (*core.Event, error) {
	event, err := d.Decode(payload, hints)
	if err != nil {
		return nil, core.RefuseField("", "%s", err)
	}
	return event, nil
}

// serveStore serves POST /api/{project}/store/: one event as the body.
func (i *Ingest) serveStore(r *httpRequest) (any, error) {
	auth := credentialsOf(r.Request)
	r.sdk = auth.sdk
	project, err := i.admitSender(r, auth.key)
	if err != nil {
		return nil, err
	}
	events, err := i.takeSingleEvent(r, project, true, decodeEvent)
	if err != nil {
		return nil, err
	}
	return i.commitAndAnswer(r, events)
}

// serveSecurity serves POST /api/{project}/security/: reports that browsers send by themselves, such as violations of a
// Content-Security-Policy.
func (i *Ingest) serveSecurity(r *httpRequest) (any, error) {
	auth, query := credentialsOf(r.Request), r.URL.Query()
	r.sdk = auth.sdk
	r.browser = &envelope.Browser{UserAgent: r.UserAgent(), Release: query.Get("sentry_release"), Environment: query.Get("sentry_environment")}
	project, err := i.admitSender(r, auth.key)
	if err != nil {
		return nil, err
	}
	if err := i.readBody(r); err != nil {
		return nil, err
	}
	events, err := i.takeItems(r, project, envelope.SplitReports)
	if err != nil {
		return nil, err
	}
	return i.commitAndAnswer(r, events)
}
