package jobs

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
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

// warnings passes on what the queue has to warn of. The rest is how it works inside.
type warnings struct{ slog.Handler }

// Enabled leaves out what is below a warning.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// WithAttrs keeps the level.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the level.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
