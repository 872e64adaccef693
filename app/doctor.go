package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"errand/blob"
	"errand/store"
)

// Doctor looks for what is wrong with an installation: `errand doctor`.
type Doctor struct {
	JSON bool `help:"Print the findings as JSON."`
}

// The verdicts of a finding.
const (
	verdictOK   = "ok"
	verdictWarn = "warn" // it works, but probably not as somebody wants it
	verdictFail = "fail" // it does not work
)

// Finding is what the doctor found out about one thing.
type Finding struct {
	About   string `json:"about"`            // such as "database"
	Verdict string `json:"verdict"`          // ok, warn or fail
	Text    string `json:"text"`             // what is so
	Advice  string `json:"advice,omitempty"` // what to do about it; empty for ok
}

// examination is a visit of the doctor. Its checks add findings.
type examination struct {
	config   *Config
	db       *database
	blobs    blob.Store
	state    store.OperatorState
	findings []Finding
}

func (e *examination) addOK(about, format string, args ...any) {
	e.findings = append(e.findings, Finding{About: about, Verdict: verdictOK, Text: fmt.Sprintf(format, args...)})
}

func (e *examination) addWarning(about, advice, format string, args ...any) {
	e.findings = append(e.findings, Finding{about, verdictWarn, fmt.Sprintf(format, args...), advice})
}

func (e *examination) addFailure(about, advice, format string, args ...any) {
	e.findings = append(e.findings, Finding{about, verdictFail, fmt.Sprintf(format, args...), advice})
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
		if finding.Verdict == verdictFail {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d things do not work", failed, len(findings))
	}
	return nil
}

func printFindings(out io.Writer, findings []Finding) error {
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
func ExamineInstallation(ctx context.Context, c *Config, log *slog.Logger) ([]Finding, error) {
	var findings []Finding
	err := atConsole(ctx, c, log, func(o console) (err error) {
		e := &examination{config: c, db: o.db}
		if e.state, err = o.db.ReadOperatorState(ctx); err != nil {
			return err
		}
		if e.blobs, err = c.openRawBlobs(); err != nil {
			return err
		}
		if e.blobs != nil {
			defer e.blobs.Close()
		}
		for _, check := range []func(context.Context) error{
			e.checkServer, e.checkDatabase, e.checkClock, e.checkDisks, e.checkBlobs, e.checkAddress, e.checkJobs, e.checkWebhooks,
			e.checkMail, e.checkBackup,
		} {
			if err := check(ctx); err != nil {
				return err
			}
		}
		findings = e.findings
		return nil
	})
	return findings, err
}
