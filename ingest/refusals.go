package ingest

import (
	"log/slog"
	"sync"
	"time"

	"errand/core"
)

// logRefusalEvery is how often the log has a line for the same kind of refusal, while every request is refused.
const logRefusalEvery = 10 * time.Second

// refusals keeps the log readable: of each kind of refusal it has one line in a while, with how many there were.
type refusals struct {
	mu      sync.Mutex
	byCode  map[core.Code]refusalCount
	logging *slog.Logger
}

type refusalCount struct {
	logged time.Time // when the last line was written
	more   int       // refusals since
}

func newRefusals(log *slog.Logger) *refusals {
	return &refusals{byCode: map[core.Code]refusalCount{}, logging: log}
}

// log writes a line about a refused request, unless there was one of its kind lately. Wrong keys are logged by what limits
// them, internal errors each; a client that breaks off is nothing to report.
func (r *refusals) log(q *request, code core.Code, err error) {
	if code == core.Unauthorized || code == core.Limit || code == core.Internal || code == core.InvalidRequest && !q.bodyRead {
		return
	}
	more, due := r.count(code, q.received.Time)
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

// count counts a refusal and reports whether it is time for a line, with how many had none.
func (r *refusals) count(code core.Code, now time.Time) (more int, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.byCode[code]
	if now.Sub(c.logged) < logRefusalEvery {
		c.more++
		r.byCode[code] = c
		return 0, false
	}
	r.byCode[code] = refusalCount{logged: now}
	return c.more, true
}
