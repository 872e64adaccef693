package app

import (
	"context"
	"log/slog"
	"os"

	"errand/api"
)

// NewLog makes the process's log on standard error.
func (c *Config) NewLog() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // the flag's enum has only valid ones
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "text" || c.LogFormat == "" && isTerminal(os.Stderr) {
		return slog.New(slog.NewTextHandler(os.Stderr, options))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, options))
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// withTrace gives each line about a request the id of the trace that the request is a part of, as trace_id.
func withTrace(log *slog.Logger) *slog.Logger { return slog.New(traceHandler{log.Handler()}) }

type traceHandler struct{ slog.Handler }

// Handle adds the id.
func (h traceHandler) Handle(ctx context.Context, line slog.Record) error {
	if id := api.TraceID(ctx); id != "" {
		line.AddAttrs(slog.String("trace_id", id))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs is slog's.
func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup is slog's. A trace_id inside a group would not be found: nothing here uses groups.
func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
