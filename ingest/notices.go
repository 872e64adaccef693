package ingest

import (
	"cmp"
	"net/http"
	"strings"

	"errand/core"
	"errand/envelope"
	"errand/wire"
)

// noticesPath is where clients of another tracker send errors (management API, 1.11).
const noticesPath = "/ingest/v1/errors"

// noticeKey returns the DSN key of POST /ingest/v1/errors: from the header that its clients send, or from the query for browser
// beacons.
func noticeKey(r *http.Request) string {
	return cmp.Or(r.Header.Get("Checkend-Ingestion-Key"), r.URL.Query().Get("key"))
}

// storedNotice is the answer to a notice that was stored.
type storedNotice struct {
	ID          core.OptInt `json:"id"` // null for one that its issue has no place for now
	ProblemID   int64       `json:"problem_id"`
	Repeated    bool        `json:"deduplicated"`
	Occurrences int64       `json:"occurrence_count"`
}

// repeatedNotice is the answer to a notice that was only counted, because an equal one was stored just before.
type repeatedNotice struct {
	ProblemID   int64 `json:"problem_id"`
	Repeated    bool  `json:"deduplicated"`
	Occurrences int64 `json:"occurrence_count"` // since that one, both included
}

// serveNotice serves POST /ingest/v1/errors.
func (i *Ingest) serveNotice(r *httpRequest) (any, error) {
	project, err := i.admitSender(r, noticeKey(r.Request))
	if err != nil {
		return nil, err
	}
	var key noticeDigest
	events, err := i.takeSingleEvent(r, project, false, func(d *envelope.Decoder, text []byte, hints envelope.Hints) (*core.Event, error) {
		event, err := d.DecodeNotice(text, hints)
		if err == nil {
			key = i.notices.digestBacktrace(project.ID, event)
		}
		return event, err
	})
	if err != nil {
		return nil, err
	}
	event := &events[0].event
	key.fingerprint = event.Fingerprint
	event.CountOnly = i.notices.isRepeated(key, r.receivedAt)
	if err := i.commitEvents(r, events); err != nil {
		return nil, err
	}
	if events[0].err != nil {
		return nil, events[0].err
	}
	added := events[0].added
	isRepeated := event.CountOnly && added.ID == 0
	occurrences := i.notices.noteNotice(key, r.receivedAt, isRepeated)
	if isRepeated {
		return repeatedNotice{added.IssueID, true, occurrences}, nil
	}
	return storedNotice{core.OptInt(added.ID), added.IssueID, false, occurrences}, nil
}

// refuseNotice states the error in the one sentence that its clients expect, and returns the status.
func (i *Ingest) refuseNotice(r *httpRequest, failure *core.Error) int {
	status, sentence := failure.Status(), strings.Join(reasonsOf(failure), "; ")
	wire.SetErrorHeaders(r.w, failure)
	switch failure.Code {
	case core.InvalidRequest:
		status = http.StatusUnprocessableEntity
	case core.Unauthorized:
		r.w.Header().Del("WWW-Authenticate") // which would ask for another credential
		sentence = "Invalid or missing ingestion key"
	case core.TooManyIssues:
		sentence = "Too many new issues in this hour"
	case core.Quota, core.Limit:
		sentence = "Rate limit exceeded. Retry after " + r.w.Header().Get("Retry-After") + " seconds."
	}
	body, err := core.MarshalPlain(map[string]string{"error": sentence})
	if err != nil {
		body = []byte(`{"error":"internal"}`)
	}
	wire.WriteJSON(r.w, status, body)
	return status
}
