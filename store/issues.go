package store

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
)

// issueRow is an issue as it is stored, with what its project and its hours add.
type issueRow struct {
	ID                 int64
	ProjectID          int64
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
	ClaimExpiresAt     core.Time
	Test               bool
	LatestEventID      *int64
	TrustSetting       *core.Trust
	ServerSeenAt       core.Time
	ClientSeenAt       core.Time
	triageRow
}

const selectIssues = `
SELECT i.id, i.project_id, i.title, i.culprit, i.type, i.level, i.platform, i.status, i.times_seen, i.stored_events,
	coalesce(h.events_24h, 0)::bigint AS events_24h, coalesce(h.events_7d, 0)::bigint AS events_7d,
	i.users_affected, i.first_seen, i.last_seen, i.first_release, i.last_release, i.fingerprint, i.fingerprint_version,
	i.merged_into, i.claim_holder, i.claim_expires_at, i.test, i.latest_event_id,
	p.trust_setting, s.server_seen_at, s.client_seen_at, ` + triageColumns + `
FROM issues i
JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
LEFT JOIN project_seen s ON s.project_id = i.project_id
LEFT JOIN triage_corrections c ON c.project_id = i.project_id AND c.issue_id = i.id
LEFT JOIN LATERAL (
	SELECT sum(events) FILTER (WHERE hour >= @day_ago) AS events_24h, sum(events) AS events_7d
	FROM issue_hours WHERE project_id = i.project_id AND issue_id = i.id AND hour >= @week_ago
) h ON true`

const oneIssue = selectIssues + ` WHERE i.project_id = @project_id AND i.id = @id`

func issueWindows(now core.Time) args {
	return args{"day_ago": now.Add(-24 * time.Hour), "week_ago": now.AddDate(0, 0, -7)}
}

func (r issueRow) issue(now core.Time) core.Issue {
	i := core.Issue{
		ID: r.ID, ProjectID: r.ProjectID, Title: r.Title, Culprit: r.Culprit, Type: r.Type, Level: r.Level, Platform: r.Platform,
		Status: r.Status, TimesSeen: r.TimesSeen, StoredEvents: r.StoredEvents, Events24h: r.Events24h, Events7d: r.Events7d,
		UsersAffected: r.UsersAffected, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen, FirstRelease: r.FirstRelease, LastRelease: r.LastRelease,
		Fingerprint: hex.EncodeToString(r.Fingerprint), FingerprintVersion: r.FingerprintVersion, MergedInto: optInt(r.MergedInto),
	}
	if r.ClaimExpiresAt.After(now.Time) {
		i.Claim = &core.Claim{Holder: r.ClaimHolder, ExpiresAt: r.ClaimExpiresAt}
	}
	i.Trust, i.Source = core.Assess(r.TrustSetting, r.ServerSeenAt, r.ClientSeenAt, now.Time)
	i.SourceTrust = i.Trust
	i.Priority = i.PriorityAt(now.Time)
	i.Triage = r.triage(&i)
	return i
}

func optInt(n *int64) core.OptInt {
	if n == nil {
		return 0
	}
	return core.OptInt(*n)
}

func readIssue(ctx context.Context, q querier, project, id int64, now core.Time) (issueRow, error) {
	a := issueWindows(now)
	a["project_id"], a["id"] = project, id
	return one[issueRow](ctx, q, oneIssue, a)
}

// Issue gives one issue, or not_found.
func (s *Store) Issue(ctx context.Context, id int64) (core.IssueDetail, error) {
	project, err := s.issueOwner(ctx, id)
	if err != nil {
		return core.IssueDetail{}, err
	}
	now := s.Now()
	row, err := readIssue(ctx, s.pool, project, id, now)
	if err != nil {
		return core.IssueDetail{}, err
	}
	return core.IssueDetail{Issue: row.issue(now), LatestEventID: optInt(row.LatestEventID), Test: row.Test}, nil
}

// IssueFilter says which issues to list. Its zero value lists all but merged and test issues.
type IssueFilter struct {
	ProjectID   int64 // 0: all
	Status      core.Status
	Release     string
	Environment string
	Since       time.Time
	Search      string
	Claimed     *bool
	Test        bool
	core.Paging
}

// likeEscaper makes % and _ plain characters of a LIKE pattern.
var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func (f IssueFilter) list(now core.Time) *list {
	l := newList("last_seen", f.Paging)
	l.prefix = "i."
	l.args = issueWindows(now)
	l.where("i.test = @test", "test", f.Test)
	if f.ProjectID != 0 {
		l.where("i.project_id = @project_id", "project_id", f.ProjectID)
	}
	if f.Status != "" {
		l.where("i.status = @status", "status", string(f.Status))
	} else {
		l.where("i.status <> 'merged'", "", nil)
	}
	if f.Release != "" {
		l.where(`(i.first_release = @release OR i.last_release = @release OR EXISTS (
			SELECT 1 FROM issue_releases r WHERE r.project_id = i.project_id AND r.release = @release AND r.issue_id = i.id))`, "release", f.Release)
	}
	if f.Environment != "" {
		l.where(`EXISTS (
			SELECT 1 FROM issue_environments e WHERE e.project_id = i.project_id AND e.environment = @environment AND e.issue_id = i.id)`, "environment", f.Environment)
	}
	if !f.Since.IsZero() {
		l.where("i.last_seen >= @since", "since", f.Since)
	}
	if f.Search != "" {
		l.where("(i.title ILIKE @pattern OR i.culprit ILIKE @pattern)", "pattern", "%"+likeEscaper.Replace(f.Search)+"%")
	}
	switch {
	case f.Claimed == nil:
	case *f.Claimed:
		l.where("i.claim_expires_at > @now", "now", now)
	default:
		l.where("(i.claim_expires_at IS NULL OR i.claim_expires_at <= @now)", "now", now)
	}
	return l
}

// Issues lists issues, most recently seen first.
func (s *Store) Issues(ctx context.Context, f IssueFilter) (core.Page[core.Issue], error) {
	now := s.Now()
	return listPage(ctx, s, f.list(now), selectIssues, func(row pgx.CollectableRow) (core.Issue, error) {
		r, err := pgx.RowToStructByName[issueRow](row)
		return r.issue(now), err
	},
		func(i core.Issue) (core.Time, int64) { return i.LastSeen, i.ID })
}
