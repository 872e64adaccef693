package store

import (
	"context"
	"encoding/hex"
	"time"

	"errand/core"
	"errand/store/pg"
	"errand/store/watch"
)

// issueRow is a stored issue with data from its project and its hours.
type issueRow struct {
	ID                 int64
	ProjectID          int64
	Slug               string
	Notes              int64
	Title              core.Untrusted
	Culprit            core.Untrusted
	Type               core.Untrusted
	Level              string
	Platform           string
	Status             core.Status
	TimesSeen          int64
	StoredEvents       int64
	Events24h          int64 `db:"events_24h"`
	Events7d           int64 `db:"events_7d"`
	UsersAffected      int64
	FirstSeen          core.Time
	LastSeen           core.Time
	FirstRelease       core.Untrusted
	LastRelease        core.Untrusted
	Fingerprint        []byte
	FingerprintVersion int
	MergedInto         *int64
	ClaimHolder        string
	ClaimWorker        string
	ClaimExpiresAt     core.Time
	Test               bool
	LatestEventID      *int64
	TrustSetting       *core.Trust
	ServerSeenAt       core.Time
	ClientSeenAt       core.Time
	ApprovalID         int64
	ApprovalAction     core.HeldAction
	ApprovalBy         string
	ApprovalAt         core.Time
	ApprovalExpiresAt  core.Time
	IgnoredUntil       core.Time
	IgnoredToEvents    *int64
	IgnoredToUsers     *int64
	triageRow
}

const issueColumns = `
	i.id, i.project_id, p.slug, i.title, i.culprit, i.type, i.level, i.platform, i.status, i.times_seen, i.stored_events,
	coalesce(h.events_24h, 0)::bigint AS events_24h, coalesce(h.events_7d, 0)::bigint AS events_7d,
	i.users_affected, i.first_seen, i.last_seen, i.first_release, i.last_release, i.fingerprint, i.fingerprint_version,
	i.merged_into, i.claim_holder, i.claim_worker, i.claim_expires_at, i.test, i.latest_event_id,
	noted.notes, p.trust_setting, s.server_seen_at, s.client_seen_at,
	coalesce(a.id, 0) AS approval_id, coalesce(a.action, '') AS approval_action, coalesce(a.requested_by, '') AS approval_by,
	a.requested_at AS approval_at, a.expires_at AS approval_expires_at,
	CASE WHEN ` + hasTerm + ` THEN i.ignored_until END AS ignored_until,
	CASE WHEN ` + hasTerm + ` THEN i.ignored_to_events END AS ignored_to_events,
	CASE WHEN ` + hasTerm + ` THEN i.ignored_to_users END AS ignored_to_users, ` + triageColumns

// issueJoins follows the table of issues, named i. An hour counts if it lies completely in the window; the running hour
// counts with its events so far (primary API, Issue).
const issueJoins = `
JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
LEFT JOIN project_seen s ON s.project_id = i.project_id
LEFT JOIN triage_corrections c ON c.project_id = i.project_id AND c.issue_id = i.id
LEFT JOIN LATERAL (
	SELECT sum(events) FILTER (WHERE hour >= @day_ago) AS events_24h, sum(events) AS events_7d
	FROM issue_hours WHERE project_id = i.project_id AND issue_id = i.id AND hour >= @week_ago
		AND /* of its project: issue_hours */ true
) h ON true
CROSS JOIN LATERAL (
	SELECT count(*) AS notes FROM activity
	WHERE project_id = i.project_id AND target_id = i.id AND action = 'issue.note' AND /* of its project: activity */ true
) noted
LEFT JOIN LATERAL (
	SELECT id, action, requested_by, requested_at, expires_at FROM approvals
	WHERE project_id = i.project_id AND issue_id = i.id AND status = 'pending' AND expires_at > @now
	ORDER BY requested_at DESC, id DESC LIMIT 1
) a ON true`

const selectIssues = `SELECT ` + pg.OnePlan + issueColumns + ` FROM issues i` + issueJoins

const selectIssue = selectIssues + ` WHERE i.project_id = @project_id AND i.id = @id`

// issueTimes returns the times that issueJoins compares with.
func issueTimes(now core.Time) pg.Args {
	return pg.Args{"now": now, "day_ago": now.Add(-24 * time.Hour), "week_ago": now.AddDate(0, 0, -7)}
}

func (r issueRow) toIssue(now core.Time) core.Issue {
	i := core.Issue{
		ID: r.ID, ProjectID: r.ProjectID, Project: r.Slug, Notes: r.Notes,
		Title: r.Title, Culprit: r.Culprit, Type: r.Type, Level: r.Level, Platform: r.Platform,
		Status: r.Status, TimesSeen: r.TimesSeen, StoredEvents: r.StoredEvents, Events24h: r.Events24h, Events7d: r.Events7d,
		UsersAffected: r.UsersAffected, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
		FirstRelease: core.ShowUntrusted(r.FirstRelease), LastRelease: core.ShowUntrusted(r.LastRelease),
		Fingerprint: hex.EncodeToString(r.Fingerprint), FingerprintVersion: r.FingerprintVersion, MergedInto: convertOptInt(r.MergedInto),
	}
	if r.ClaimExpiresAt.After(now.Time) {
		i.Claim = &core.Claim{Holder: r.ClaimHolder, ExpiresAt: r.ClaimExpiresAt, Worker: core.Text(r.ClaimWorker)}
	}
	if r.ApprovalID != 0 {
		i.Approval = &core.PendingApproval{
			ID: r.ApprovalID, Action: core.HeldIssueAction(r.ApprovalAction), RequestedBy: r.ApprovalBy, RequestedAt: r.ApprovalAt,
			ExpiresAt: r.ApprovalExpiresAt,
		}
	}
	i.Trust, i.Source = core.AssessSources(r.TrustSetting, r.ServerSeenAt, r.ClientSeenAt, now.Time)
	i.SourceTrust = i.Trust
	i.Priority = i.PriorityAt(now.Time)
	i.Triage = r.toTriage(&i)
	return i
}

func convertOptInt(n *int64) core.OptInt {
	if n == nil {
		return 0
	}
	return core.OptInt(*n)
}

// argsOfIssue are the arguments of selectIssue.
func argsOfIssue(project, id int64, now core.Time) pg.Args {
	args := issueTimes(now)
	args["project_id"], args["id"] = project, id
	return args
}

func readIssue(ctx context.Context, db *pg.DB, q pg.Querier, project, id int64, now core.Time) (issueRow, error) {
	return pg.QueryOne[issueRow](ctx, q, db.OfProject(selectIssue), argsOfIssue(project, id, now))
}

// ReadIssue returns one issue, or not_found.
func (s *Store) ReadIssue(ctx context.Context, id int64) (core.IssueDetail, error) {
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return core.IssueDetail{}, err
	}
	now := s.Now()
	var (
		b      pg.Batch
		issues []issueRow
		fixes  []watch.Fix
	)
	pg.QueueMany(&b, selectIssue, argsOfIssue(project, id, now), &issues)
	pg.QueueMany(&b, selectFixOfIssue, pg.Args{"project_id": project, "issue_id": id}, &fixes)
	if err := b.SendEach(ctx, s.db, []int64{project}); err != nil {
		return core.IssueDetail{}, err
	}
	if len(issues) == 0 {
		return core.IssueDetail{}, core.NewError(core.NotFound)
	}
	fix, err := showFirst(ctx, s.db, s.db.Main, fixes)
	return issues[0].toDetail(now, fix), err
}

// readDetail is ReadIssue within a transaction.
func (s *Store) readDetail(ctx context.Context, q pg.Querier, project, id int64, now core.Time) (core.IssueDetail, error) {
	row, err := readIssue(ctx, s.db, q, project, id, now)
	if err != nil {
		return core.IssueDetail{}, err
	}
	fix, err := findFix(ctx, s.db, q, project, id)
	return row.toDetail(now, fix), err
}

func (r issueRow) toDetail(now core.Time, fix *core.Fix) core.IssueDetail {
	return core.IssueDetail{
		Issue: r.toIssue(now), LatestEventID: convertOptInt(r.LatestEventID), Test: r.Test, Fix: fix, IgnoreEnd: r.toIgnoreEnd(),
	}
}
