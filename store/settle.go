package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"errand/core"
)

// settle is the long way of a batch: it finds out what the store did not know, does what is more than counting, and
// then counts.
func (t *tx) settle(ctx context.Context, b *batch) error {
	b.forget()
	if err := t.findDuplicates(ctx, b); err != nil {
		return err
	}
	if err := t.findIssues(ctx, b); err != nil {
		return err
	}
	if err := t.makeIssues(ctx, b); err != nil {
		return err
	}
	if err := t.reopenIssues(ctx, b); err != nil {
		return err
	}
	return t.count(ctx, b)
}

// forget undoes what an earlier attempt believed.
func (b *batch) forget() {
	b.fresh(func(_ *NewEvent, a *Added) { a.IssueID = 0 })
}

const storedEventIDs = `
SELECT e.project_id, e.event_id, e.id, e.issue_id FROM event_ids e
JOIN unnest($1::bigint[], $2::uuid[]) AS n (project_id, event_id) ON e.project_id = n.project_id AND e.event_id = n.event_id`

// findDuplicates marks the events that are stored already.
func (t *tx) findDuplicates(ctx context.Context, b *batch) error {
	project, event := b.eventKeys()
	rows, err := t.Query(ctx, storedEventIDs, project, event)
	if err != nil {
		return err
	}
	var key eventKey
	var id, issue int64
	for rows.Next() {
		if err := rows.Scan(&key.project, &key.event, &id, &issue); err != nil {
			rows.Close()
			return err
		}
		b.added[b.first[key]] = Added{ID: id, IssueID: issue, Duplicate: true}
	}
	return rows.Err()
}

func (b *batch) eventKeys() (project []int64, event [][16]byte) {
	b.fresh(func(e *NewEvent, _ *Added) {
		project = append(project, e.ProjectID)
		event = append(event, e.EventID)
	})
	return project, event
}

const issuesByFingerprint = `
SELECT f.project_id, f.version, f.fingerprint, f.issue_id FROM issue_fingerprints f
JOIN unnest($1::bigint[], $2::int[], $3::bytea[]) AS n (project_id, version, fingerprint)
	ON f.project_id = n.project_id AND f.version = n.version AND f.fingerprint = n.fingerprint`

// findIssues looks the events' fingerprints up.
func (t *tx) findIssues(ctx context.Context, b *batch) error {
	groups := b.groups()
	project, version, fingerprint := columns3(groups, func(k issueKey) (int64, int32, []byte) {
		return k.project, int32(k.version), k.fingerprint[:]
	})
	rows, err := t.Query(ctx, issuesByFingerprint, project, version, fingerprint)
	if err != nil {
		return err
	}
	found := map[issueKey]int64{}
	for rows.Next() {
		var key issueKey
		var hash []byte
		var issue int64
		if err := rows.Scan(&key.project, &key.version, &hash, &issue); err != nil {
			rows.Close()
			return err
		}
		copy(key.fingerprint[:], hash)
		found[key] = issue
	}
	b.fresh(func(e *NewEvent, a *Added) { a.IssueID = found[e.group()] })
	return rows.Err()
}

// groups gives the fingerprints of the events that count, each once, in the order in which they came.
func (b *batch) groups() []issueKey {
	var list []issueKey
	seen := map[issueKey]bool{}
	b.fresh(func(e *NewEvent, _ *Added) {
		if !seen[e.group()] {
			seen[e.group()] = true
			list = append(list, e.group())
		}
	})
	return list
}

const insertIssue = `
INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at,
	test, times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release)
VALUES (@project_id, @id, @fingerprint, @version, @title, @culprit, @type, @level, @platform, 'unresolved', @now,
	@test, 0, 0, 0, @at, @at, @release, @release)`

const insertFingerprint = `
INSERT INTO issue_fingerprints (project_id, version, fingerprint, issue_id) VALUES (@project_id, @version, @fingerprint, @id)`

// makeIssues makes an issue for each fingerprint that has none. Its first event gives it title and place.
func (t *tx) makeIssues(ctx context.Context, b *batch) error {
	made := map[issueKey]int64{}
	for _, e := range b.firstOfNew() {
		id, err := t.makeIssue(ctx, e)
		if err != nil {
			return err
		}
		made[e.group()] = id
	}
	b.fresh(func(e *NewEvent, a *Added) {
		if a.IssueID == 0 {
			a.IssueID = made[e.group()]
		}
	})
	return nil
}

// firstOfNew gives the first event of each fingerprint without an issue, sorted by it: servers that make the same
// issues then wait for each other, and never in a circle.
func (b *batch) firstOfNew() []*NewEvent {
	var list []*NewEvent
	seen := map[issueKey]bool{}
	b.fresh(func(e *NewEvent, a *Added) {
		if a.IssueID == 0 && !seen[e.group()] {
			seen[e.group()] = true
			list = append(list, e)
		}
	})
	slices.SortFunc(list, func(a, b *NewEvent) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.Version, b.Version), bytes.Compare(a.Fingerprint[:], b.Fingerprint[:]))
	})
	return list
}

func (t *tx) makeIssue(ctx context.Context, e *NewEvent) (int64, error) {
	id, err := t.store.ids.one(ctx, issueIDs)
	if err != nil {
		return 0, err
	}
	// The fingerprint first: it is what two servers that make the same issue collide on.
	_, err = exec(ctx, t, insertFingerprint, args{"project_id": e.ProjectID, "version": e.Version, "fingerprint": e.Fingerprint[:], "id": id})
	if err != nil {
		return 0, err
	}
	_, err = exec(ctx, t, insertIssue, args{
		"project_id": e.ProjectID, "id": id, "fingerprint": e.Fingerprint[:], "version": e.Version, "title": e.Title,
		"culprit": e.Culprit, "type": e.Type, "level": e.Level, "platform": e.Platform, "now": t.now, "test": e.Test,
		"at": e.OccurredAt, "release": e.Release,
	})
	return id, err
}

const lockIssues = `
SELECT i.project_id, i.id, i.status, i.status_at FROM issues i
JOIN unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id) ON i.project_id = n.project_id AND i.id = n.id
ORDER BY i.project_id, i.id FOR UPDATE OF i`

const reopenIssue = `UPDATE issues SET status = 'unresolved', status_at = @now WHERE project_id = @project_id AND id = @id`

// reopenIssues locks the batch's issues and makes the resolved ones unresolved when an event is newer than the resolve
// (primary API, States). A merged issue sends the batch back: its fingerprints now lead elsewhere.
func (t *tx) reopenIssues(ctx context.Context, b *batch) error {
	b.sum(t.store.known)
	latest := map[int64]core.Time{}
	projects, ids := make([]int64, len(b.counts.issues)), make([]int64, len(b.counts.issues))
	for i, c := range b.counts.issues {
		projects[i], ids[i], latest[c.issue] = c.project, c.issue, c.last
	}
	issues, err := many[struct {
		ProjectID int64
		ID        int64
		Status    core.Status
		StatusAt  core.Time
	}](ctx, t, lockIssues, args{"projects": projects, "ids": ids})
	if err != nil {
		return err
	}
	for _, i := range issues {
		switch {
		case i.Status == core.Merged:
			return errStale
		case i.Status != core.Resolved || !latest[i.ID].After(i.StatusAt.Time):
			continue
		}
		if _, err := exec(ctx, t, reopenIssue, args{"now": t.now, "project_id": i.ProjectID, "id": i.ID}); err != nil {
			return err
		}
		_, err := t.record(ctx, entry{
			project: i.ProjectID, actor: core.System("ingest"), action: core.ActionIssueRegress,
			targetType: core.TargetIssue, targetID: i.ID, data: fromTo{i.Status, core.Unresolved},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
