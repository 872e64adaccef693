package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"errand/core"
)

// failures logs failed jobs.
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

// warnings passes on the warnings of the queue, each at most once in a while: while the database is away, it has
// several a second. Other lines of the queue describe its inner workings, and are dropped.
type warnings struct {
	slog.Handler
	limit *core.LineLimit // by message
}

func limitWarnings(log *slog.Logger) *slog.Logger {
	return slog.New(warnings{log.Handler(), &core.LineLimit{Every: warnEvery}})
}

// Enabled drops everything below a warning.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// Handle writes the line, unless a similar one was written recently, or the line only says that the queue was told to stop.
func (w warnings) Handle(ctx context.Context, line slog.Record) error {
	if errors.Is(ctx.Err(), context.Canceled) && isCancellation(line) {
		return nil
	}
	more, due := w.limit.CountLine(line.Message, line.Time)
	if !due {
		return nil
	}
	if more > 0 {
		line.AddAttrs(slog.Int("more_since_the_last_line", more))
	}
	return w.Handler.Handle(ctx, line)
}

// isCancellation reports whether the error in a line is a cancelled context. The queue writes errors as texts.
func isCancellation(line slog.Record) (found bool) {
	line.Attrs(func(attr slog.Attr) bool {
		isError := attr.Key == "error" || attr.Key == "err"
		found = found || isError && strings.HasSuffix(attr.Value.String(), context.Canceled.Error())
		return !found
	})
	return found
}

// WithAttrs keeps the level and the limit.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs), w.limit}
}

// WithGroup keeps the level and the limit.
func (w warnings) WithGroup(name string) slog.Handler {
	return warnings{w.Handler.WithGroup(name), w.limit}
}
