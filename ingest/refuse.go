package ingest

import "errand/core"

// retryAfter is how many seconds a client waits after 503 (decisions 3).
const retryAfter = "5"

// refuse answers with an error. SDKs read its text from detail and X-Sentry-Error, everybody else from error.
func (i *Ingest) refuse(q *request, err error) {
	requestID := q.w.Header().Get("X-Request-Id")
	failure := core.AsError(err)
	switch failure.Code {
	case core.Internal:
		i.log.ErrorContext(q.Context(), "ingest failed", "request_id", requestID, "error", err)
		failure = core.NewError(core.Internal).With("request_id", requestID)
	case core.Unavailable:
		i.log.WarnContext(q.Context(), "ingest is unavailable", "request_id", requestID, "error", err)
		q.w.Header().Set("Retry-After", retryAfter)
	case core.Unauthorized:
		q.w.Header().Set("WWW-Authenticate", "Bearer")
	}
	detail := failure.Code.Info().Meaning
	if len(failure.Details) > 0 {
		detail = failure.Details[0].Message
	}
	failure.With("detail", detail)
	q.w.Header().Set("X-Sentry-Error", headerText(detail))
	q.w.Header().Set("Content-Type", "application/json")
	body, err := failure.MarshalJSON()
	if err != nil {
		body = []byte(`{"error":"internal"}`)
	}
	q.w.WriteHeader(failure.Status())
	_, _ = q.w.Write(body)
}
