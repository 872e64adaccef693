package store

import (
	"context"
	"fmt"
	"strings"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// NextWanted selects the issues that next_issue may take.
type NextWanted struct {
	ProjectID int64 // 0: all in reach
	Minutes   int64 // of the claim
}

// nextChunk is how many issues are ranked at a time. If more agents ask at the same time, the others take from later chunks.
const nextChunk = 50

// nextChunks bounds the chunks that are searched, when all issues before are noise, held or given back.
const nextChunks = 40

// nextTries bounds how often a search starts again because others took everything that it found. In the meantime, remaining
// issues may have moved up into a chunk that was already searched.
const nextTries = 10

// fixableChunks bounds the chunks where an issue that a change of code can fix goes before better ones that no change can fix.
const fixableChunks = 4

// PassedOver counts the open issues that next_issue does not take, by reason.
type PassedOver struct {
	Claimed   int64 // by another actor
	Noise     int64
	Held      int64 // an action on them waits for approval
	GivenBack int64 // by the same worker, with a note, in the last day
	HasMore   bool  // the search stopped before it saw every issue: see nextChunks
	Yours     []core.HeldIssue
}

// String returns the counts in words, such as "2 are claimed, 1 is noise", or "" when there are none.
func (p PassedOver) String() string {
	var parts []string
	for _, part := range []struct {
		n         int64
		one, many string
	}{
		{p.Claimed, "is claimed", "are claimed"}, {p.Noise, "is noise", "are noise"},
		{p.Held, "waits for an approval", "wait for an approval"},
		{p.GivenBack, "you gave back with a note in the last day", "you gave back with a note in the last day"},
	} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.one)
		case part.n > 1:
			parts = append(parts, fmt.Sprint(part.n, " ", part.many))
		}
	}
	if p.HasMore {
		parts = append(parts, "others were not looked at: name a project")
	}
	return strings.Join(parts, ", ")
}

// ClaimNext renews a claim that the actor, or its worker, already has (resumeClaim). Otherwise it claims the best open
// issue that nobody holds: first the regressed ones, then those that a change of code can fix, then by priority. An issue
// with an overdue fix ranks with the unresolved ones. If none is left, the issue is nil; passed counts the issues that were
// not taken and names those that the actor holds.
func (s *Store) ClaimNext(ctx context.Context, actor core.Actor, wanted NextWanted) (
	issue *core.ClaimedIssue, passed PassedOver, err error,
) {
	start, err := s.readNextStart(ctx, actor, wanted.ProjectID)
	if err != nil {
		return nil, passed, err
	}
	if issue, err = s.resumeClaim(ctx, actor, wanted.Minutes, start.held); err != nil || issue != nil {
		return issue, passed, err
	}
	for _, h := range start.held {
		passed.Yours = append(passed.Yours, h.toCore())
	}
	for _, status := range []core.Status{core.Regressed, core.Unresolved} {
		if status == core.Regressed && !start.hasRegressed {
			continue
		}
		var search nextSearch
		for try := range nextTries {
			search = nextSearch{store: s, actor: actor, wanted: wanted, status: status, givenBack: start.givenBack, readsAnew: try > 0}
			if issue, err = search.takeBest(ctx); err != nil || issue != nil {
				return issue, passed, err
			}
			if !search.mayMiss {
				break
			}
		}
		passed.Noise += search.passed.Noise
		passed.Held += search.passed.Held
		passed.GivenBack += search.passed.GivenBack
		passed.HasMore = passed.HasMore || search.passed.HasMore
	}
	claimed, err := pg.QueryOne[struct{ Claimed int64 }](ctx, s.db.Main, countClaimed,
		pg.Args{"now": s.Now(), "projects": projectsOf(ctx, wanted.ProjectID)})
	passed.Claimed = claimed.Claimed
	return nil, passed, err
}

const countClaimed = `
SELECT count(*) AS claimed FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.claim_expires_at > @now AND ` + isWork + ` AND NOT i.test
	AND (@projects::bigint[] IS NULL OR i.project_id = ANY (@projects))`

// nextSearch is one search for the best issue of a status.
type nextSearch struct {
	store     *Store
	actor     core.Actor
	wanted    NextWanted
	status    core.Status
	givenBack map[int64]bool
	passed    PassedOver
	unfixable []nextCandidate // found so far, best first
	readsAnew bool            // it uses no kept ranking
	mayMiss   bool            // it used a kept ranking, or others took its issues: there may be an issue that it has not seen
}

// takeBest goes through the ranking until it can take an issue. It skips issues that others take in the meantime.
func (n *nextSearch) takeBest(ctx context.Context) (*core.ClaimedIssue, error) {
	key := rankingKey{project: n.wanted.ProjectID, status: n.status, reach: core.ReachOf(ctx).Key()}
	for chunk := range nextChunks {
		page, err := n.readRanking(ctx, key)
		if err != nil {
			return nil, err
		}
		if issue, err := n.claimFirst(ctx, n.chooseFixable(page.Data)); err != nil || issue != nil {
			return issue, err
		}
		if page.NextCursor == "" || chunk >= fixableChunks-1 {
			if issue, err := n.claimFirst(ctx, n.unfixable); err != nil || issue != nil {
				return issue, err
			}
			n.unfixable = nil
		}
		if key.cursor = page.NextCursor; key.cursor == "" {
			return nil, nil
		}
	}
	n.passed.HasMore = true
	return nil, nil
}

// chooseFixable returns the available issues of a chunk that a change of code can fix. It collects the other available ones in unfixable.
func (n *nextSearch) chooseFixable(chunk []nextCandidate) []nextCandidate {
	var fixable []nextCandidate
	for _, issue := range chunk {
		switch {
		case issue.isNoise:
			n.passed.Noise++
		case issue.IsHeld:
			n.passed.Held++
		case n.givenBack[issue.ID]:
			n.passed.GivenBack++
		case issue.isFixable:
			fixable = append(fixable, issue)
		default:
			n.unfixable = append(n.unfixable, issue)
		}
	}
	return fixable
}

// claimFirst lets the actor hold the first issue that is still free. It returns nil when none is.
func (n *nextSearch) claimFirst(ctx context.Context, issues []nextCandidate) (*core.ClaimedIssue, error) {
	s, free := n.store, issues
	if !n.readsAnew {
		free = s.rankings.leaveOutTaken(issues, s.Now(), s.db.Reorders())
	}
	for _, statement := range []string{lockNext, lockNextWaiting} {
		issue, err := s.claimFirst(ctx, n.actor, n.wanted.Minutes, free, statement)
		if issue != nil {
			s.rankings.noteTaken(int64(issue.ID), s.Now(), s.db.Reorders())
			s.owners.rememberOwner(intake.IssueIDs, int64(issue.ID), int64(issue.ProjectID))
		}
		if err != nil || issue != nil {
			return issue, err
		}
	}
	n.mayMiss = n.mayMiss || len(issues) > 0
	return nil, nil
}

// A locked row may only be counting an event, so lockNextWaiting waits for the rows that this statement skips.
const lockNext = lockNextWaiting + ` SKIP LOCKED`

// Postgres checks the conditions again once the row is locked: of two agents at the same time the second moves on to its next row.
const lockNextWaiting = `
SELECT i.project_id, i.id
FROM unnest(@projects::bigint[], @ids::bigint[]) WITH ORDINALITY n (project_id, id, place)
JOIN issues i ON i.project_id = n.project_id AND i.id = n.id AND /* of some projects: i */ true
JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE ` + isWork + ` AND NOT i.test
	AND (i.claim_expires_at IS NULL OR i.claim_expires_at <= @now)
	AND NOT EXISTS (SELECT 1 FROM approvals a WHERE ` + isAboutIssue + `)
ORDER BY n.place LIMIT 1 FOR UPDATE OF i`

// lockFirst locks the first issue that is still free, and returns it, or the zero value. Where the tables are distributed, it looks at
// one after the other.
func (t *tx) lockFirst(ctx context.Context, statement string, projects, ids []int64) (first ownedIssue, err error) {
	step := len(ids)
	if t.store.db.IsDistributed() {
		step = 1
	}
	for i := 0; i < len(ids); i += step {
		some := projects[i : i+step]
		free, err := pg.QueryEach[ownedIssue](ctx, t.store.db, t, statement,
			pg.Args{"projects": some, "ids": ids[i : i+step], "now": t.Now}, some)
		if err != nil || len(free) > 0 {
			return append(free, ownedIssue{})[0], err
		}
	}
	return ownedIssue{}, nil
}

// claimFirst lets the actor hold the first issue that is still free. It returns nil when none is.
func (s *Store) claimFirst(ctx context.Context, actor core.Actor, minutes int64, issues []nextCandidate, statement string) (
	*core.ClaimedIssue, error,
) {
	if len(issues) == 0 {
		return nil, nil
	}
	projects, ids := make([]int64, len(issues)), make([]int64, len(issues))
	for i := range issues {
		projects[i], ids[i] = issues[i].ProjectID, issues[i].ID
	}
	var claimed *core.ClaimedIssue
	err := s.inTx(ctx, func(t *tx) error {
		claimed = nil
		if err := t.shareToken(ctx, actor); err != nil { // before the issue, in the order of a revocation
			return err
		}
		first, err := t.lockFirst(ctx, statement, projects, ids)
		if err != nil || first.ID == 0 {
			return err
		}
		detail, err := t.changeDetail(ctx, actor, first.ProjectID, first.ID, func(c *issueChange) error { return c.claimIssue(ctx, minutes) })
		claimed = &core.ClaimedIssue{IssueDetail: detail, HeldSince: t.Now}
		return err
	})
	return claimed, err
}
