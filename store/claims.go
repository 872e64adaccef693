package store

import (
	"context"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// Few issues are claimed at a time: each project's are found in an index of them.
const listClaims = `
SELECT c.*, n.notes, n.last_note
FROM (
	SELECT i.project_id, i.id, i.title, i.status, i.claim_type, i.claim_holder, i.claim_worker, i.claim_expires_at,
		coalesce(` + sinceClaimed + `, i.claim_expires_at - i.claim_minutes * interval '1 minute') AS since
	FROM projects p
	CROSS JOIN LATERAL (SELECT * FROM issues WHERE project_id = p.id AND claim_expires_at > @now AND /* of some projects: issues */ true) i
	WHERE p.deleted_at IS NULL AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects))
	ORDER BY i.claim_expires_at, i.id LIMIT @rows
) c
CROSS JOIN LATERAL (
	SELECT count(*) AS notes, coalesce((array_agg(a.data ->> 'text' ORDER BY a.at DESC, a.id DESC))[1], '') AS last_note
	FROM activity a
	WHERE a.project_id = c.project_id AND a.target_id = c.id AND a.action = 'issue.note' AND a.at >= c.since
		AND /* of some projects: a */ true
) n
ORDER BY c.claim_expires_at, c.id`

// claimRow is a claimed issue.
type claimRow struct {
	ProjectID      int64
	ID             int64
	Title          core.Untrusted
	Status         core.Status
	ClaimType      core.ActorType
	ClaimHolder    string
	ClaimWorker    core.Text
	ClaimExpiresAt core.Time
	Since          core.Time
	Notes          int64
	LastNote       core.Untrusted
}

// ListClaims lists the issues that are claimed now, in one project or in all in reach (0), the claim that ends first first.
func (s *Store) ListClaims(ctx context.Context, project int64) (core.List[core.ListedClaim], error) {
	searched := projectsOf(ctx, project)
	each, err := s.projectsToSearch(ctx, searched)
	if err != nil {
		return nil, err
	}
	rows, err := pg.QueryEach[claimRow](ctx, s.db, s.db.Main, listClaims,
		pg.Args{"projects": searched, "now": s.Now(), "rows": core.MaxClaimsListed}, each)
	slices.SortStableFunc(rows, func(a, b claimRow) int { return a.ClaimExpiresAt.Compare(b.ClaimExpiresAt.Time) })
	rows = rows[:min(len(rows), core.MaxClaimsListed)]
	claims := make(core.List[core.ListedClaim], len(rows))
	for i, r := range rows {
		claims[i] = core.ListedClaim{
			IssueID: r.ID, Title: r.Title, ProjectID: r.ProjectID, Status: r.Status, HolderType: r.ClaimType, Holder: r.ClaimHolder,
			Worker: r.ClaimWorker, Since: r.Since, ExpiresAt: r.ClaimExpiresAt, Notes: r.Notes, LastNote: r.LastNote,
		}
	}
	return claims, err
}
