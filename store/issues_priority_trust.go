package store

import (
	"context"
	"strconv"
	"strings"

	"errand/core"
	"errand/store/pg"
)

// In the order of work an issue of a project of low trust counts with at most this many events of the last day and this
// many users (decisions 7). Anyone on the web can send its events, so their number alone must not put it before issues of high trust.
const (
	lowTrustEvents = 10
	lowTrustUsers  = 1
)

// weighLow turns a statement that ranks issues by priority into the statement for projects of low trust. The index sorts
// issues into classes of weights by all their users. Here the weight of an issue lies between the least and the greatest of
// its class, both limited in the same way.
var weighLow = strings.NewReplacer(
	"1 + i.users_affected", "1 + least(i.users_affected, "+strconv.Itoa(lowTrustUsers)+")",
	"1 + h.events", "1 + least(h.events, "+strconv.Itoa(lowTrustEvents)+")",
	"SELECT n - 1 AS class, least, coalesce(", "SELECT n - 1 AS class, least(least, "+strconv.Itoa(1+lowTrustUsers)+") AS least, least("+
		strconv.Itoa(2*(1+lowTrustUsers))+", ",
)

// Rankings in the order of work, each for one kind of project.
var (
	rankLowIssues    = weighLow.Replace(rankIssues)
	rankLowRegressed = weighLow.Replace(rankRegressed)
	rankLowFound     = weighLow.Replace(rankFoundIssues)
)

// rankBoth ranks the issues of both kinds of projects: each kind is read in its own order, along the indexes.
func rankBoth(high, low, conditions string) string {
	put := func(rank, more string) string { return strings.ReplaceAll(rank, anyIssue, conditions+more) }
	return "SELECT * FROM (\n(" + put(high, " AND i.project_id = ANY (@high_trust::bigint[])") + ")\nUNION ALL\n(" +
		put(low, " AND i.project_id = ANY (@low_trust::bigint[])") + ")\n) r ORDER BY score DESC, id DESC LIMIT @rows"
}

const listTrust = `
SELECT p.id, p.trust_setting, s.server_seen_at, s.client_seen_at
FROM projects p LEFT JOIN project_seen s ON s.project_id = p.id
WHERE p.deleted_at IS NULL AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects)) AND /* of some projects: s */ true`

// listByTrust returns the projects that a list searches, split by their trust at the moment.
func (s *Store) listByTrust(ctx context.Context, project int64, now core.Time) (high, low []int64, err error) {
	projects := projectsOf(ctx, project)
	searched, err := s.projectsToSearch(ctx, projects)
	if err != nil {
		return nil, nil, err
	}
	rows, err := pg.QueryEach[struct {
		ID           int64
		TrustSetting *core.Trust
		ServerSeenAt core.Time
		ClientSeenAt core.Time
	}](ctx, s.db, s.db.Main, s.byProject(listTrust), pg.Args{"projects": projects}, searched)
	for _, row := range rows {
		if trust, _ := core.AssessSources(row.TrustSetting, row.ServerSeenAt, row.ClientSeenAt, now.Time); trust == core.TrustLow {
			low = append(low, row.ID)
		} else {
			high = append(high, row.ID)
		}
	}
	return high, low, err
}

// chooseRank returns the statement that ranks the issues of a list with these conditions.
func (s *Store) chooseRank(ctx context.Context, f IssueFilter, l *pg.List, found *foundIssues, now core.Time) (string, error) {
	rank, rankLow := rankIssues, rankLowIssues
	switch {
	case found != nil:
		rank, rankLow = rankFoundIssues, rankLowFound
	case f.Status == core.Regressed:
		rank, rankLow = rankRegressed, rankLowRegressed
	}
	if f.Sort != core.ByWork {
		return strings.ReplaceAll(rank, anyIssue, l.Conditions()), nil
	}
	high, low, err := s.listByTrust(ctx, f.ProjectID, now)
	switch {
	case err != nil || len(low) == 0:
		return strings.ReplaceAll(rank, anyIssue, l.Conditions()), err
	case len(high) == 0:
		return strings.ReplaceAll(rankLow, anyIssue, l.Conditions()), nil
	}
	l.OnePlan = false // the plan depends on the number of issues of each kind
	l.Args["high_trust"], l.Args["low_trust"] = high, low
	return rankBoth(rank, rankLow, l.Conditions()), nil
}
