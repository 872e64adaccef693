package ingest

import (
	"log/slog"

	"errand/core"
)

// refusalLog logs refused requests, at most one line of a kind in a while.
type refusalLog struct {
	limit core.LineLimit // by code
	log   *slog.Logger
}

func newRefusalLog(log *slog.Logger) *refusalLog { return &refusalLog{log: log} }

// logRefusal logs a refused request, unless one of its kind was logged lately. Wrong keys are logged where they are limited, and
// internal errors one by one; a client that breaks off is not logged.
func (l *refusalLog) logRefusal(r *httpRequest, code core.Code, err error) {
	if code == core.Unauthorized || code == core.Limit || code == core.Internal || code == core.InvalidRequest && !r.bodyRead {
		return
	}
	more, due := l.limit.CountLine(string(code), r.receivedAt.Time)
	if !due {
		return
	}
	level := slog.LevelInfo
	if code == core.Unavailable {
		level = slog.LevelWarn
	}
	l.log.Log(r.Context(), level, "events are refused", "code", code, "error", err, "project", r.projectID(), "client", r.clientAddress(),
		"sdk", r.sdk, "bytes", r.bytesRead, "request_id", r.w.Header().Get("X-Request-Id"), "more_since_the_last_line", more)
}
