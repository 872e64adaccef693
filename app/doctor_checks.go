package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"errand/blob"
	"errand/core"
	"errand/jobs"
	"errand/store/embedded"
)

// The bounds beyond which the doctor says something.
const (
	askAtMost      = 5 * time.Second
	clockTolerance = 5 * time.Second // as the server's warning
	oldBackup      = 48 * time.Hour
	longPending    = 10 * time.Minute
	diskNearlyFull = 90 // percent
	diskFull       = 98
)

// checkServer looks for servers of the same user on this machine.
func (e *examination) checkServer(context.Context) error {
	running := listRunning()
	if len(running) == 0 {
		e.addWarning("server", "if one should run here, start it with errand serve; servers of other users and machines are not seen",
			"no server of this user runs on this machine")
		return nil
	}
	var names []string
	for _, server := range running {
		names = append(names, server.String())
	}
	e.addOK("server", "runs: %s", strings.Join(names, "; "))
	return nil
}

func (e *examination) checkDatabase(ctx context.Context) error {
	state, err := e.db.ReadDatabaseState(ctx)
	if err != nil {
		return err
	}
	schema, known, err := e.db.ReadSchemaVersion(ctx)
	if err != nil {
		return err
	}
	kind := "the database of DATABASE_URL"
	if e.config.isPrivate() {
		kind = "the private Postgres"
	}
	e.addOK("database", "%s, Postgres %s, schema %d, %s", kind, state.Postgres, schema, core.WriteBytes(state.Bytes))
	if schema > known {
		e.addWarning("database", "update this program too", "the schema %d is newer than this program, which knows %d", schema, known)
	}
	if err := e.db.CheckWrites(ctx); err != nil {
		e.addFailure("database", "see whether it is a standby, read-only, or its disk is full", "it takes no writes: %v", err)
	}
	wanted, allowed, err := e.db.FitConnections(ctx)
	if err == nil && allowed < wanted {
		e.addWarning("database", "raise the role's limit, or set DATABASE_POOL to this server's share of it",
			"its role may have %d connections, and a server wants %d", allowed, wanted)
	}
	if err != nil {
		return err
	}
	return e.checkMemory(ctx, state.Bytes)
}

func (e *examination) checkClock(ctx context.Context) error {
	reading, err := e.db.ReadClock(ctx)
	if err != nil {
		return err
	}
	ahead := reading.Ref.Sub(reading.At).Round(time.Millisecond)
	if ahead.Abs() > clockTolerance+reading.Accuracy {
		e.addWarning("clock", "synchronise the clocks of both machines (NTP)", "this machine's clock is %s ahead of the database's", ahead)
		return nil
	}
	e.addOK("clock", "within %s of the database's", ahead.Abs().Round(time.Millisecond))
	return nil
}

func (e *examination) checkDisks(context.Context) error {
	for _, disk := range e.config.measureDisks() {
		text := fmt.Sprintf("%s of %s free for %s in %s", core.WriteBytes(disk.FreeBytes), core.WriteBytes(disk.TotalBytes), disk.Use, disk.Path)
		switch {
		case disk.PercentUsed >= diskFull:
			e.addFailure("disk", "make room: lower RETENTION_DAYS, delete projects, or enlarge the disk", "%s", text)
		case disk.PercentUsed >= diskNearlyFull:
			e.addWarning("disk", "make room before it is full: lower RETENTION_DAYS, delete projects, or enlarge the disk", "%s", text)
		default:
			e.addOK("disk", "%s", text)
		}
	}
	return e.checkOldData()
}

// checkOldData warns of the data that an upgrade of the private Postgres has kept.
func (e *examination) checkOldData() error {
	if !e.config.isPrivate() {
		return nil
	}
	old, err := embedded.ListOldData(e.config.DataDir)
	for _, folder := range old {
		e.addWarning("disk", "when all is well with the new Postgres, delete it: errand postgres remove-old",
			"%s keeps %s from before an upgrade", folder.Path, core.WriteBytes(folder.Bytes))
	}
	return err
}

func (e *examination) checkBlobs(ctx context.Context) error {
	if e.blobs == nil {
		e.addWarning("source maps", "set BLOBS if browsers send events",
			"BLOBS is not set for %s, so there is no storage of source maps", e.of)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	if err := e.blobs.Ping(ctx); err != nil {
		e.addFailure("source maps", "see BLOBS in docs/configuration.md", "their storage cannot be reached: %v", err)
		return nil
	}
	id, err := e.db.FindInstallation(ctx)
	if err != nil {
		return err
	}
	switch err := blob.CheckOwner(ctx, e.blobs, id); {
	case errors.Is(err, blob.ErrForeign):
		e.addFailure("source maps", "set BLOBS to a folder or prefix of its own", "%v", err)
	case err != nil:
		e.addFailure("source maps", "see BLOBS in docs/configuration.md", "their storage cannot be read: %v", err)
	default:
		e.addOK("source maps", "%s", e.blobs)
	}
	return nil
}

// checkAddress asks the server at BASE_URL, as an SDK would.
func (e *examination) checkAddress(ctx context.Context) error {
	base := e.db.Settings().BaseURL
	settings, err := e.db.ListSettings(ctx)
	if err != nil {
		return err
	}
	isDefault := slices.ContainsFunc(settings, func(s core.SettingState) bool { return s.Name == "BASE_URL" && s.Default })
	ctx, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	err = askReady(ctx, base)
	switch {
	case err != nil && isDefault && e.config.settings["BASE_URL"] == "":
		e.addWarning("address", "set BASE_URL to the URL at which SDKs and people reach Errand",
			"BASE_URL is not set, so DSNs and links name each server's own listen address, and none answers at %s", base)
		return nil
	case err != nil:
		e.addFailure("address", "see that the name leads here, and what the proxy does: DSNs and links have it",
			"from this machine %s: %v", base, err)
		return nil
	}
	e.addOK("address", "%s answers from this machine", base)
	if parsed, err := url.Parse(base); err == nil && parsed.Scheme == "http" && !isLoopback(parsed.Hostname()) {
		e.addWarning("address", "put a proxy that ends TLS in front, and set BASE_URL to https://", "%s is not encrypted on its way", base)
	}
	return nil
}

// askReady returns an error unless an Errand at the URL is ready.
func askReady(ctx context.Context, base string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		if unwrapped, ok := errors.AsType[*url.Error](err); ok {
			err = unwrapped.Err
		}
		return err
	}
	defer answer.Body.Close()
	var state struct{ Status, Reason string }
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	switch {
	case err != nil || state.Status == "" && state.Reason == "":
		return fmt.Errorf("what answers there (%s) is no Errand", answer.Status)
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("it is not ready: %s", state.Reason)
	}
	return nil
}

func (e *examination) checkJobs(ctx context.Context) error {
	states, err := e.db.ListJobStates(ctx)
	if err != nil {
		return err
	}
	known := jobs.Options{Store: e.db.Store}.Names()
	var failed []string
	for _, state := range states {
		if state.Outcome == "failed" && slices.Contains(known, state.Name) {
			failed = append(failed, state.Name)
		}
	}
	switch {
	case len(states) == 0:
		e.addWarning("jobs", "at least one server needs the role worker (ROLES)", "no background job has run in the last minutes")
	case len(failed) > 0:
		e.addFailure("jobs", "the server's log says why", "the last run failed: %s", strings.Join(failed, ", "))
	default:
		e.addOK("jobs", "%d background jobs ran in the last minutes", len(states))
	}
	return nil
}

func (e *examination) checkMail(ctx context.Context) error {
	if e.config.mailer == nil {
		e.addWarning("mail", "set SMTP_URL and EMAIL_FROM if people are to get alerts and links for forgotten passwords",
			"SMTP_URL is not set for %s: no mail is sent", e.of)
		return nil
	}
	if err := e.config.mailer.Check(ctx); err != nil {
		e.addFailure("mail", "see SMTP_URL in docs/configuration.md", "%v", err)
		return nil
	}
	e.addOK("mail", "the mail server takes the sign-in; nothing was sent")
	return nil
}

func (e *examination) checkBackup(context.Context) error {
	state := e.state
	const advice = "run errand backup FILE every day, and keep the files elsewhere; other means are not seen"
	switch age := e.db.Now().Sub(state.BackedUpAt.Time); {
	case state.BackedUpAt.IsZero():
		e.addWarning("backup", advice, "errand backup has never run")
	case age > oldBackup:
		e.addWarning("backup", advice, "the last one is from %s", state.BackedUpAt.UTC().Format(time.RFC3339))
	default:
		e.addOK("backup", "the last one is from %s", state.BackedUpAt.UTC().Format(time.RFC3339))
	}
	return nil
}
