package intake

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
	"errand/triage"
)

// planNewIssues takes an id for each fingerprint without an issue: the batch will make that issue, named after its first event.
func (w *Writer) planNewIssues(ctx context.Context, b *batch) error {
	b.firstEvents = b.findFirstEvents()
	if len(b.firstEvents) == 0 {
		return nil
	}
	ids, err := w.db.IDs.TakeMany(ctx, IssueIDs, len(b.firstEvents))
	if err != nil {
		return err
	}
	if b.newChanges, err = w.db.IDs.TakeMany(ctx, activity.DeliveryIDs, len(b.firstEvents)); err != nil {
		return err
	}
	planned := make(map[issueKey]int64, len(ids))
	for i, e := range b.firstEvents {
		planned[e.issueKey()] = ids[i]
	}
	b.eachCounted(func(e *NewEvent, a *Added) {
		if a.IssueID == 0 {
			a.IssueID = planned[e.issueKey()]
		}
	})
	return nil
}

// findFirstEvents returns the first event of each fingerprint without an issue, sorted, so that two servers that make the
// same issues proceed in the same order.
func (b *batch) findFirstEvents() []*NewEvent {
	var firsts []*NewEvent
	seen := map[issueKey]bool{}
	b.eachCounted(func(e *NewEvent, a *Added) {
		if a.IssueID == 0 && !seen[e.issueKey()] {
			seen[e.issueKey()] = true
			firsts = append(firsts, e)
		}
	})
	slices.SortFunc(firsts, func(a, b *NewEvent) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), bytes.Compare(a.Fingerprint[:], b.Fingerprint[:]), cmp.Compare(a.Version, b.Version))
	})
	return firsts
}

// takeNewIssues removes the issues that the batch makes from the counts and returns them: they are inserted together with
// their counts.
func (b *batch) takeNewIssues(issues map[int64]*issueCount, users map[userKey]struct{}) []issueCount {
	if len(b.firstEvents) == 0 {
		return nil
	}
	usersOf := map[int64]int64{}
	for user := range users {
		usersOf[user.issue]++
	}
	made := make([]issueCount, len(b.firstEvents))
	for i, e := range b.firstEvents {
		id := b.added[b.firstIndex[e.eventKey()]].IssueID
		made[i] = *issues[id]
		made[i].users = min(usersOf[id], MaxUsers)
		delete(issues, id)
	}
	return made
}

func (b *batch) queueFingerprints(q *pgx.Batch) {
	if len(b.firstEvents) > 0 {
		project, version, fingerprint := b.listNewFingerprints()
		q.Queue(addFingerprints, project, version, fingerprint, newSpanArrays(b.counts.newIssues).issue)
	}
}

func (b *batch) listNewFingerprints() (project []int64, version []int32, fingerprint [][]byte) {
	return pg.SplitColumns(b.firstEvents, func(e *NewEvent) (int64, int32, []byte) { return e.ProjectID, int32(e.Version), e.Fingerprint[:] })
}

func (b *batch) queueNewIssues(q *pgx.Batch, now core.Time, o *batchOutcome) {
	if len(b.firstEvents) > 0 {
		q.Queue(makeIssues, append(b.listNewIssueArgs(now), core.ClientSince(now))...).Query(o.addDeliveries)
	}
}

// listNewIssueArgs are the arguments of makeIssues except the last one.
func (b *batch) listNewIssueArgs(now core.Time) []any {
	project, version, fingerprint := b.listNewFingerprints()
	title, culprit, kind := pg.SplitColumns(b.firstEvents, func(e *NewEvent) (string, string, string) { return e.Title, e.Culprit, e.Type })
	platform, test, features := pg.SplitColumns(b.firstEvents, func(e *NewEvent) (string, bool, string) {
		return e.Platform, e.Test, e.formatFeatures()
	})
	site, handled, noise := pg.SplitColumns(b.firstEvents, func(e *NewEvent) (string, *bool, *bool) {
		return string(e.Crash.Site), e.Crash.Handled, e.judgeNoise()
	})
	users := make([]int64, len(b.firstEvents))
	for i := range users {
		users[i] = b.counts.newIssues[i].users
	}
	c := newSpanArrays(b.counts.newIssues)
	return []any{project, version, fingerprint, c.issue, title, culprit, kind, c.level, platform, test, site, handled, now,
		c.seen, c.stored, users, c.latest, c.first, c.last, c.firstRelease, c.firstKnown, c.lastRelease, c.lastKnown, features,
		b.newChanges, b.listClientTimes(project), noise}
}

// listClientTimes returns, for each of the projects, when the batch's latest event of a browser or an app arrived, or the
// zero time. It decides the trust of the project before it is stored.
func (b *batch) listClientTimes(projects []int64) []core.Time {
	latest := map[int64]core.Time{}
	for _, c := range b.counts.projects {
		if c.client.After(latest[c.project].Time) {
			latest[c.project] = c.client
		}
	}
	times := make([]core.Time, len(projects))
	for i, project := range projects {
		times[i] = latest[project]
	}
	return times
}

// judgeNoise reports whether the event's issue is noise, or returns nil for an event that was not looked at.
func (e *NewEvent) judgeNoise() *bool {
	if e.Crash.Site == "" {
		return nil
	}
	isNoise := triage.IsNoise(&core.Issue{
		Title: core.Untrusted(e.Title), Culprit: core.Untrusted(e.Culprit), Type: core.Untrusted(e.Type), Platform: e.Platform,
	}, e.Crash)
	return &isNoise
}

// formatFeatures returns the features as text, empty for an event that was not looked at.
func (e *NewEvent) formatFeatures() string {
	if e.Crash.Site == "" {
		return ""
	}
	return pg.ArrayText(e.Features)
}
