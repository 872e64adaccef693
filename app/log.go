package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"errand/api"
	"errand/wire"
)

// NewLog makes the log of the process, on standard error.
func (c *Config) NewLog() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // the flag's enum allows only valid levels
	if c.WritesText(os.Stderr) {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	}
	return newJSONLog(os.Stderr, level)
}

// newJSONLog makes a log of JSON lines whose durations have units, such as 1.5s: slog writes bare nanoseconds.
func newJSONLog(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.StringValue(a.Value.Duration().String())
		}
		return a
	}}))
}

// WritesText reports whether people read the stream rather than programs: LOG_FORMAT decides, else whether it is a terminal.
func (c *Config) WritesText(stream *os.File) bool {
	return c.LogFormat == "text" || c.LogFormat == "" && isTerminal(stream)
}

// PrintError writes on standard error why a command failed. Characters that could control a terminal are removed: the
// error may contain a server's answer.
func (c *Config) PrintError(err error) {
	if c.WritesText(os.Stderr) {
		_, _ = fmt.Fprintln(os.Stderr, "errand:", wire.RemoveHidden(err.Error(), '\n', '\t'))
		return
	}
	newJSONLog(os.Stderr, slog.LevelInfo).Error("errand has failed", "error", err)
}

// PrintReady writes on standard output where the server and its admin token are. It writes JSON only if LOG_FORMAT
// asks for it, since scripts read the plain lines. The token itself appears only on a terminal, unless showToken is
// set: output into a pipe is often collected and kept. JSON never contains it.
func (a *App) PrintReady(showToken bool) {
	for _, line := range a.describeReady(isTerminal(os.Stdout), showToken) {
		if a.config.LogFormat == "json" {
			newJSONLog(os.Stdout, slog.LevelInfo).Info(line, "url", a.URL(), "listens_at", a.Addr())
		} else {
			_, _ = fmt.Println(line)
		}
	}
}

// describeReady returns the lines of PrintReady. Logs are collected and kept, so the link for the first user to sign
// up appears only on a terminal. A file always has it.
func (a *App) describeReady(onTerminal, showToken bool) []string {
	isLog := a.config.LogFormat == "json"
	onTerminal = onTerminal && !isLog
	showToken = onTerminal || showToken && !isLog
	url, file := a.URL(), filepath.Join(a.DataDir(), adminTokenFile)
	lines := []string{fmt.Sprintf("Errand is ready at %s (API page: %[1]s/docs, MCP: %[1]s/mcp)", url)}
	switch {
	case a.NewAdminToken != "" && showToken:
		lines = append(lines, fmt.Sprintf("Admin token: %s (shown this once, and kept in %s)", a.NewAdminToken.Reveal(), file))
	case a.NewAdminToken != "":
		lines = append(lines, "Admin token: new, in "+file)
	case a.DataDir() != "":
		lines = append(lines, fmt.Sprintf("Admin token: in %s, unless ADMIN_TOKEN is set", file))
	}
	linkFile, err := a.keepSignUpLink()
	switch {
	case a.SignUpLink == "":
	case onTerminal:
		lines = append(lines, fmt.Sprintf("There are no users yet. Make the first site admin within an hour: %s", a.SignUpLink.Reveal()))
	case err != nil:
		lines = append(lines, fmt.Sprintf("There are no users yet. Make the first site admin with errand user create --site-admin: the link "+
			"for it cannot be kept (%s)", err))
	default:
		lines = append(lines, fmt.Sprintf("There are no users yet. Make the first site admin within an hour by the link in %s", linkFile))
	}
	return lines
}

// signUpLinkFile is the file in DATA_DIR with the link for the first user to sign up.
const signUpLinkFile = "sign-up-link"

// keepSignUpLink writes the link to a file that only its owner can read, and returns its path. Without a link it
// removes the file of an earlier start.
func (a *App) keepSignUpLink() (path string, err error) {
	path = filepath.Join(a.config.DataDir, signUpLinkFile)
	if a.SignUpLink == "" {
		if a.config.hasRole(roleWeb) {
			_ = os.Remove(path) // its link is no longer valid
		}
		return "", nil
	}
	if err := os.MkdirAll(a.config.DataDir, 0o700); err != nil {
		return "", err
	}
	return path, writeSecret(path, a.SignUpLink)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// addTraceIDs returns a log whose lines about a request have the id of its trace, as trace_id.
func addTraceIDs(log *slog.Logger) *slog.Logger { return slog.New(traceHandler{log.Handler()}) }

type traceHandler struct{ slog.Handler }

// Handle adds the id.
func (h traceHandler) Handle(ctx context.Context, line slog.Record) error {
	if id := api.TraceIDOf(ctx); id != "" {
		line.AddAttrs(slog.String("trace_id", id))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler. A trace_id inside a group would not be found, but no code here uses groups.
func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
