package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"errand/blob"
	"errand/core"
	"errand/store"
)

// Doctor looks for what is wrong with an installation: `errand doctor`.
type Doctor struct {
	JSON bool `help:"Print the findings as JSON."`
}

// examination is a visit of the doctor. Its checks add findings.
type examination struct {
	config   *Config
	db       *database
	of       string // whose settings it looks at, such as "this command"
	blobs    blob.Store
	state    store.OperatorState
	findings []core.Finding
}

func (e *examination) addOK(about, format string, args ...any) {
	e.findings = append(e.findings, core.Finding{About: about, Verdict: core.VerdictOK, Text: fmt.Sprintf(format, args...)})
}

func (e *examination) addWarning(about, advice, format string, args ...any) {
	e.findings = append(e.findings, core.Finding{
		About: about, Verdict: core.VerdictWarn, Text: fmt.Sprintf(format, args...), Advice: core.Text(advice),
	})
}

func (e *examination) addFailure(about, advice, format string, args ...any) {
	e.findings = append(e.findings, core.Finding{
		About: about, Verdict: core.VerdictFail, Text: fmt.Sprintf(format, args...), Advice: core.Text(advice),
	})
}

// Run prints the findings. It is an error when something does not work.
func (d Doctor) Run(ctx context.Context, c *Config, log *slog.Logger, out io.Writer) error {
	findings, err := ExamineInstallation(ctx, c, log)
	if err != nil {
		return err
	}
	if d.JSON {
		err = json.NewEncoder(out).Encode(findings)
	} else {
		err = printFindings(out, findings)
	}
	if err != nil {
		return err
	}
	failed := 0
	for _, finding := range findings {
		if finding.Verdict == core.VerdictFail {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d things do not work", failed, len(findings))
	}
	return nil
}

func printFindings(out io.Writer, findings []core.Finding) error {
	for _, finding := range findings {
		if _, err := fmt.Fprintf(out, "%-4s  %-12s  %s\n", finding.Verdict, finding.About, finding.Text); err != nil {
			return err
		}
		if finding.Advice == "" {
			continue
		}
		if _, err := fmt.Fprintf(out, "%-4s  %-12s  -> %s\n", "", "", finding.Advice); err != nil {
			return err
		}
	}
	return nil
}

// ExamineInstallation looks at the installation that the configuration names, also beside a running server. An installation that
// cannot be opened is an error.
func ExamineInstallation(ctx context.Context, c *Config, log *slog.Logger) ([]core.Finding, error) {
	return askConsole(ctx, c, log, func(o console) ([]core.Finding, error) {
		return (&examination{config: c, db: o.db, of: "this command"}).examine(ctx)
	})
}

// examineServer looks at the installation as the server sees it.
func (a *App) examineServer(ctx context.Context) ([]core.Finding, error) {
	return (&examination{config: a.config, db: a.db, of: "this server"}).examine(ctx)
}

// examine makes all checks.
func (e *examination) examine(ctx context.Context) (_ []core.Finding, err error) {
	if all, err := e.checkNodes(ctx); err != nil || !all {
		return e.findings, err
	}
	if e.state, err = e.db.ReadOperatorState(ctx); err != nil {
		return nil, err
	}
	if e.blobs, err = e.config.openRawBlobs(); err != nil {
		return nil, err
	}
	if e.blobs != nil {
		defer e.blobs.Close()
	}
	for _, check := range []func(context.Context) error{
		e.checkServer, e.checkDatabase, e.checkClock, e.checkDisks, e.checkBlobs, e.checkAddress, e.checkJobs, e.checkWebhooks,
		e.checkMail, e.checkBackup,
	} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	return e.findings, nil
}
