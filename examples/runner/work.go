package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// runner takes deliveries and works on their issues.
type runner struct {
	config config
	log    *slog.Logger
	inbox  *inbox
	errand *client

	queue chan *delivery
	mu    sync.Mutex
	busy  map[int64]bool // issues with work in progress: a claim by the same worker would only be renewed
}

// The reasons for stopping a command.
var (
	errTookTooLong = errors.New("the command took too long")
	errClaimLost   = errors.New("somebody else has the claim now")
)

// partingTime is how long a stopping runner tries to release an issue.
const partingTime = 10 * time.Second

// newRunner opens the folder of the deliveries. Deliveries of an earlier runner come first.
func newRunner(c config, log *slog.Logger) (*runner, error) {
	box, err := openInbox(c.folder)
	if err != nil {
		return nil, err
	}
	left, err := box.listUnfinished(time.Now())
	if err != nil {
		return nil, err
	}
	if c.worker == "" {
		if c.worker, err = box.nameWorker(); err != nil {
			return nil, err
		}
	}
	r := &runner{
		config: c, log: log, inbox: box, errand: &client{c.errandURL, c.token, c.worker, http.DefaultClient},
		queue: make(chan *delivery, c.waiting+c.parallel+len(left)), busy: map[int64]bool{},
	}
	for _, d := range left {
		r.queue <- d
	}
	return r, nil
}

// workOn works on one delivery after the other until ctx ends.
func (r *runner) workOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-r.queue:
			r.finishWork(ctx, d)
		}
	}
}

// finishWork does the work of a delivery. When it fails for a reason outside the issue, the delivery stays in the folder.
func (r *runner) finishWork(ctx context.Context, d *delivery) {
	log := r.log.With("delivery", d.ID, "issue", d.Issue.ID)
	if !r.markBusy(d.Issue.ID, true) {
		log.Info("the issue is being worked on already")
	} else {
		err := r.fixIssue(ctx, log, d)
		r.markBusy(d.Issue.ID, false)
		if err != nil {
			log.Error("the delivery is kept for the next start", "error", err)
			return
		}
	}
	if err := r.inbox.finishDelivery(d.ID); err != nil {
		log.Error("the delivery could not be marked as done", "error", err)
	}
}

// markBusy marks an issue as busy or free, and reports whether that was a change.
func (r *runner) markBusy(issue int64, busy bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[issue] == busy {
		return false
	}
	r.busy[issue] = busy
	if !busy {
		delete(r.busy, issue)
	}
	return true
}

// fixIssue claims the issue, runs the command and reports the result. An error means that it should be tried again.
func (r *runner) fixIssue(ctx context.Context, log *slog.Logger, d *delivery) error {
	status, err := r.errand.claimIssue(ctx, d.Issue.ID, r.config.minutes)
	switch {
	case hasStatus(err, http.StatusConflict), hasStatus(err, http.StatusNotFound):
		log.Info("the issue is left to others", "reason", err)
		return nil
	case err != nil:
		return fmt.Errorf("claiming: %w", err)
	}
	if status != "unresolved" && status != "regressed" {
		log.Info("the issue is no longer open", "status", status)
		r.releaseIssue(ctx, d.Issue.ID, "")
		return nil
	}
	r.renewBrief(ctx, log, d)
	log.Info("claimed, the command starts")
	found, err := r.runWithClaim(ctx, log, d)
	switch {
	case errors.Is(err, errClaimLost):
		log.Warn("the command was stopped", "reason", err)
		return nil
	case ctx.Err() != nil:
		r.releaseIssue(ctx, d.Issue.ID, "")
		return ctx.Err()
	case err != nil:
		found.said = err.Error()
	}
	note, err := r.reportResult(ctx, log, d.Issue.ID, found)
	r.releaseIssue(ctx, d.Issue.ID, note)
	return err
}

// renewBrief replaces the brief of a delivery, which tells its reader to claim the issue first, by a brief for the holder. It
// adds a line in front that says who holds the issue. When no new brief can be read, that line alone tells the agent not to
// claim.
func (r *runner) renewBrief(ctx context.Context, log *slog.Logger, d *delivery) {
	held := *d.Brief
	if read, err := r.errand.readBrief(ctx, d.Issue.ID); err == nil {
		held = *read
	} else {
		log.Warn("the brief is that of the delivery", "error", err)
	}
	held.Markdown = fmt.Sprintf("The runner that started you holds issue %d for you as worker %q, and links the fix that the last line "+
		"of your output names: do not claim, link or release the issue yourself.\n\n", d.Issue.ID, r.errand.worker) + held.Markdown
	d.Brief = &held
}

// reportResult links the fix, or returns a note with the reason why there is none.
func (r *runner) reportResult(ctx context.Context, log *slog.Logger, issue int64, found result) (note string, err error) {
	if found.fix == nil {
		log.Info("no fix", "reason", found.said)
		return "The agent runner found no fix: " + found.said, nil
	}
	err = r.errand.linkFix(ctx, issue, *found.fix)
	var refused *refusal
	if errors.As(err, &refused) {
		log.Error("the fix was refused", "error", err)
		return fmt.Sprintf("The agent runner's fix %s%s could not be linked: %s", found.fix.Commit, found.fix.PRURL, refused.code), nil
	}
	if err == nil {
		log.Info("the fix is linked", "commit", found.fix.Commit, "pull_request", found.fix.PRURL)
	}
	return "", err
}

// releaseIssue releases the issue, after a note when there is something to say. It keeps trying for a while after ctx has ended.
func (r *runner) releaseIssue(ctx context.Context, issue int64, note string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTime)
	defer cancel()
	var err error
	if note != "" {
		err = r.errand.addNote(ctx, issue, note)
	}
	if err = errors.Join(err, r.errand.releaseIssue(ctx, issue)); err != nil {
		r.log.Error("the issue was not released; its claim expires by itself", "issue", issue, "error", err)
	}
}

// runWithClaim runs the command, and keeps renewing the claim. A lost claim ends the command.
func (r *runner) runWithClaim(ctx context.Context, log *slog.Logger, d *delivery) (result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.config.timeout, errTookTooLong)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { r.renewClaim(ctx, log, d.Issue.ID, stop) })
	found, err := runCommand(ctx, r.config.command, d, r.config.errandURL, os.Stderr)
	stop(nil)
	renewing.Wait()
	return found, err
}

// renewClaim renews the claim three times as often as necessary, until ctx ends.
func (r *runner) renewClaim(ctx context.Context, log *slog.Logger, issue int64, stop context.CancelCauseFunc) {
	ticks := time.NewTicker(time.Duration(r.config.minutes) * time.Minute / 3)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		_, err := r.errand.claimIssue(ctx, issue, r.config.minutes)
		switch {
		case hasStatus(err, http.StatusConflict), hasStatus(err, http.StatusNotFound):
			stop(errClaimLost)
			return
		case err != nil && ctx.Err() == nil:
			log.Warn("the claim was not renewed", "error", err)
		}
	}
}
