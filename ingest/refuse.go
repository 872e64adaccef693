package ingest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"errand/core"
	"errand/wire"
)

// refuse answers with an error and returns its status. SDKs read its text from detail and X-Sentry-Error, everybody else from error.
func (i *Ingest) refuse(q *request, err error) int {
	failure := core.AsError(err)
	h := q.w.Header()
	requestID := h.Get("X-Request-Id")
	switch failure.Code {
	case core.Internal:
		i.log.ErrorContext(q.Context(), "ingest failed", "request_id", requestID, "error", err)
		failure = core.NewError(core.Internal).With("request_id", requestID)
	case core.Unavailable:
		i.reporter.refuse(core.At(i.clock()))
	case core.Quota:
		i.setRateLimit(q)
		h.Set("Retry-After", rateLimit(i.clock()))
	case core.PayloadTooLarge:
		i.unpackers.large.chargeTooLarge(q.sender(), q.bytes > 0)
	}
	i.refusals.log(q, failure.Code, err)
	if q.sentry && q.export == nil {
		failure = explain(h, failure)
	}
	if q.export != nil {
		q.refuseExport(failure)
	} else {
		wire.WriteError(q.w, failure)
	}
	return failure.Status()
}

// setRateLimit has an SDK keep its errors to itself for a while.
func (i *Ingest) setRateLimit(q *request) {
	q.w.Header().Set("X-Sentry-Rate-Limits", rateLimit(i.clock())+":default;error;security:project:daily_quota")
}

// explain says what is wrong in the words of the Sentry protocol: the first reason as detail, the others as causes.
func explain(h http.Header, failure *core.Error) *core.Error {
	reasons := reasonsOf(failure)
	h.Set("X-Sentry-Error", headerText(strings.Join(reasons, "; ")))
	explained := core.NewError(failure.Code).With("detail", reasons[0])
	explained.Details, explained.RetryAfter = failure.Details, failure.RetryAfter
	for name, value := range failure.Extra {
		explained.With(name, value)
	}
	if len(reasons) > 1 {
		explained.With("causes", reasons[1:])
	}
	return explained
}

// reasonsOf returns in sentences what is wrong. Who reads them may see no other member of the error.
func reasonsOf(failure *core.Error) []string {
	switch busy := (busyError{}); {
	case len(failure.Details) > 0:
		return sentences(failure.Details)
	case errors.As(failure, &busy):
		return withMessage(failure, "The server is busy: send it again in a few seconds.")
	case failure.Code == core.Unauthorized:
		return []string{"The DSN's key is missing, unknown or revoked, or it is of another project."}
	case failure.Code == core.PayloadTooLarge:
		return []string{fmt.Sprintf("The body is larger than %v bytes.", failure.Extra["max_bytes"])}
	case failure.Code == core.UnsupportedMedia:
		supported, _ := failure.Extra["supported"].([]string)
		return []string{"The Content-Type must be " + strings.Join(supported, " or ") + "."}
	case failure.Code == core.Limit:
		return []string{fmt.Sprintf("Wait as long as Retry-After says: %v.", failure.Extra["message"])}
	}
	return withMessage(failure, failure.Code.Info().Meaning)
}

// withMessage returns the reason of a refusal, and behind it the message where the refusal has one.
func withMessage(failure *core.Error, reason string) []string {
	if message, ok := failure.Extra["message"].(string); ok {
		return []string{reason, message}
	}
	return []string{reason}
}

func sentences(details []core.Detail) []string {
	list := make([]string, len(details))
	for i, d := range details {
		list[i] = strings.TrimPrefix(d.Path+": "+d.Message, ": ")
	}
	return list
}

// tell says beside a good answer why a part of the request was not taken.
func (i *Ingest) tell(q *request, err error) {
	failure := core.AsError(err)
	switch failure.Code {
	case core.Internal:
		i.log.ErrorContext(q.Context(), "an event failed", "request_id", q.w.Header().Get("X-Request-Id"), "error", err)
	case core.Unavailable:
		i.reporter.refuse(core.At(i.clock()))
	case core.Quota:
		i.setRateLimit(q)
	}
	q.problem("event", failure.Code.Info().Meaning)
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
