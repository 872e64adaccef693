package jobs

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"errand/core"
)

// failures logs the jobs that failed.
type failures struct{ log *slog.Logger }

// HandleError logs an error.
func (f failures) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.log.WarnContext(ctx, "a job failed and will be tried again", "job", job.Kind, "error", err)
	return nil
}

// HandlePanic logs a panic.
func (f failures) HandlePanic(ctx context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.log.ErrorContext(ctx, "a job panicked and will be tried again", "job", job.Kind, "panic", value, "stack", trace)
	return nil
}

// warnings passes on what the queue has to warn of, and of the same warning one in a while: it has several a second while
// the database is away. The rest is how it works inside.
type warnings struct {
	slog.Handler
	limit *core.LineLimit // by message
}

// Enabled leaves out what is below a warning.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// Handle writes the line, unless there was one like it lately.
func (w warnings) Handle(ctx context.Context, line slog.Record) error {
	more, due := w.limit.CountLine(line.Message, line.Time)
	if !due {
		return nil
	}
	if more > 0 {
		line.AddAttrs(slog.Int("more_since_the_last_line", more))
	}
	return w.Handler.Handle(ctx, line)
}

// WithAttrs keeps the level and the limit.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs), w.limit}
}

// WithGroup keeps the level and the limit.
func (w warnings) WithGroup(name string) slog.Handler {
	return warnings{w.Handler.WithGroup(name), w.limit}
}
