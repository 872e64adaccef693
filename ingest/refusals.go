package ingest

import (
	"log/slog"

	"errand/core"
)

// refusals writes about refused requests, without a line for each.
type refusals struct {
	limit   core.LineLimit // by code
	logging *slog.Logger
}

func newRefusals(log *slog.Logger) *refusals { return &refusals{logging: log} }

// log writes a line about a refused request, unless there was one of its kind lately. Wrong keys are logged by what limits
// them, internal errors each; a client that breaks off is nothing to report.
func (r *refusals) log(q *request, code core.Code, err error) {
	if code == core.Unauthorized || code == core.Limit || code == core.Internal || code == core.InvalidRequest && !q.bodyRead {
		return
	}
	more, due := r.limit.CountLine(string(code), q.received.Time)
	if !due {
		return
	}
	level := slog.LevelInfo
	if code == core.Unavailable {
		level = slog.LevelWarn
	}
	r.logging.Log(q.Context(), level, "events are refused", "code", code, "error", err, "project", q.admitted, "client", q.clientAddress(),
		"sdk", q.client, "bytes", q.bytes, "request_id", q.w.Header().Get("X-Request-Id"), "more_since_the_last_line", more)
}
