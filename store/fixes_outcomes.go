package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const selectFixOutcomes = `
SELECT f.id, f.issue_id, f.kind, f.ref, f.linked_by_type, f.linked_by, f.linked_at, f.deployed_at, f.outcome, f.outcome_at,
	f.verified_at, f.regressed_at, f.regressed_in, i.first_seen, f.project_id, f.deploy_number
FROM fixes f
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id
JOIN projects p ON p.id = f.project_id AND p.deleted_at IS NULL`

// outcomeRow is the row of a fix that ended.
type outcomeRow struct {
	ID           int64
	IssueID      int64
	Kind         core.FixKind
	Ref          string
	LinkedByType core.ActorType
	LinkedBy     string
	LinkedAt     core.Time
	DeployedAt   core.Time
	Outcome      string
	OutcomeAt    core.Time
	VerifiedAt   core.Time
	RegressedAt  core.Time
	RegressedIn  string
	FirstSeen    core.Time
	ProjectID    int64
	DeployNumber *int64
}

// ListFixOutcomes lists the fixes that ended at or after a time, latest first. A duration counts back from the time of the first page.
func (s *Store) ListFixOutcomes(ctx context.Context, after core.Since, page core.Paging) (core.Page[core.FixOutcome], error) {
	l := pg.NewList(ctx, "f.", "outcome_at", page)
	l.Start = core.At(page.Cursor.Start(s.Now().Time))
	since, err := after.Time(l.Start.Time)
	if err != nil {
		return core.Page[core.FixOutcome]{}, err
	}
	l.Where("f.outcome IS NOT NULL")
	if !since.IsZero() {
		l.WhereArg("f.outcome_at >= @since", "since", since)
	}
	rows, err := pg.ReadPage(ctx, s.db, l, selectFixOutcomes, func(r outcomeRow) (core.Time, int64) {
		return r.OutcomeAt, r.ID
	})
	if err != nil {
		return core.Page[core.FixOutcome]{}, err
	}
	unknownOf, err := findUnknownReleasesOf(ctx, s.db, s.db.Main, rows.Data, func(r outcomeRow) (placeOfDeploy, bool) {
		return findUnseenPlace(r.ProjectID, r.DeployNumber, r.RegressedAt)
	})
	return pg.ConvertPage(rows, func(r outcomeRow) core.FixOutcome {
		outcome := r.fixOutcome()
		outcome.UnknownReleases = unknownOf(r)
		return outcome
	}), err
}

func (r outcomeRow) fixOutcome() core.FixOutcome {
	return core.FixOutcome{
		FixID: r.ID, IssueID: r.IssueID, Kind: r.Kind, Ref: r.Ref, LinkedByType: r.LinkedByType, LinkedBy: r.LinkedBy, LinkedAt: r.LinkedAt,
		DeployedAt: r.DeployedAt, Outcome: r.Outcome, VerifiedAt: r.VerifiedAt, RegressedAt: r.RegressedAt,
		RegressedIn:     core.Untrusted(core.ShowName(r.RegressedIn)),
		HoursToVerified: hoursBetween(r.LinkedAt, r.VerifiedAt),
		HoursToFix:      hoursBetween(r.FirstSeen, r.VerifiedAt),
	}
}

// hoursBetween returns the hours with 3 decimals, or nil without an end.
func hoursBetween(start, end core.Time) *float64 {
	if end.IsZero() {
		return nil
	}
	hours := end.Sub(start.Time).Hours()
	return roundHours(&hours)
}
