package web

import (
	"fmt"
	"strconv"
	"time"

	"errand/core"
)

// issuesOfRelease is how many issues each list of a release shows.
const issuesOfRelease = 20

// releaseForm is the page of one release: did it make things worse?
type releaseForm struct {
	Version, Project, Commit any
	ProjectPath              string
	First                    moment
	IsDeployed               bool
	Badges                   []badge
	New                      releaseIssues
	Fixes                    []releaseFixRow
	MoreFixes                int
	Back                     releaseIssues
	Deploys                  []releaseDeploy
	Chart                    *bars
	Rates                    string
}

// releaseIssues are issues of a release, and how many are not shown.
type releaseIssues struct {
	Rows []releaseIssue
	More int
	All  string // path of the list with all of them
}

type releaseIssue struct {
	Path          string
	Type, Message core.Untrusted
	Events        int64
}

type releaseFixRow struct {
	releaseIssue
	By    any
	State badge
}

type releaseDeploy struct {
	Environment any
	At          moment
	Source      string
}

// showRelease shows what a release did.
func (s *Site) showRelease(v *visit) error {
	query := v.r.URL.Query()
	args := map[string]any{"project": query.Get("project"), "version": query.Get("version")}
	var found core.Data[core.ReleaseDetail]
	var hours core.Data[core.ReleaseHours]
	isDeployed := true
	err := runTogether(
		func() (err error) { found, err = callOperation(v, core.GetRelease, args); return err },
		func() (err error) {
			hours, err = callOperation(v, core.GetReleaseHours, args)
			if core.HasCode(err, core.NotFound) {
				isDeployed = false
				return nil
			}
			return err
		},
	)
	if err != nil {
		return err
	}
	release := &found.Data
	form := releaseForm{
		Version: release.Version, Project: query.Get("project"), Commit: shortCommit(string(release.Commit)), IsDeployed: isDeployed,
		ProjectPath: addressOf(releasesPath, "project", query.Get("project")), Badges: makeReleaseBadges(release),
	}
	list := issueList{map[string]string{"project": query.Get("project"), "release": release.Version}, core.Open, core.ByPriority, ""}
	if form.New, err = v.listIssuesOf(release.NewIssueIDs, list.address("status", "")); err != nil {
		return err
	}
	if form.Back, err = v.listIssuesOf(release.RegressedIssueIDs, list.address("status", "regressed")); err != nil {
		return err
	}
	if form.Fixes, err = v.listFixesOf(release.FixesDeployed); err != nil {
		return err
	}
	form.MoreFixes = len(release.FixesDeployed) - len(form.Fixes)
	for _, d := range release.Deploys {
		form.Deploys = append(form.Deploys, releaseDeploy{d.Environment, v.at(d.DeployedAt), describeSource(d.Source)})
	}
	if isDeployed {
		form.First = v.at(hours.Data.DeployedAt)
		form.Chart, form.Rates = chartRelease(&hours.Data), describeRates(hours.Data.PerHour)
	}
	return v.show("release", plainText(release.Version), form)
}

func makeReleaseBadges(r *core.ReleaseDetail) []badge {
	var badges []badge
	if n := len(r.RegressedIssueIDs); n > 0 {
		badges = append(badges, badge{kindBad, writePlural(n, "fix came back", "fixes came back")})
	}
	if n := len(r.NewIssueIDs); n > 0 {
		badges = append(badges, badge{kindWarn, writePlural(n, "new issue", "new issues")})
	}
	if n := len(r.FixesDeployed); n > 0 {
		badges = append(badges, badge{kindGood, writePlural(n, "fix in it", "fixes in it")})
	}
	return badges
}

// listIssuesOf reads the first of the issues. Those that are gone are left out.
func (v *visit) listIssuesOf(ids []int64, all string) (releaseIssues, error) {
	list := releaseIssues{All: all, More: max(0, len(ids)-issuesOfRelease)}
	shown := ids[:min(len(ids), issuesOfRelease)]
	issues, err := v.readIssues(shown)
	for _, id := range shown {
		if issue := issues[id]; issue != nil {
			list.Rows = append(list.Rows, makeReleaseIssue(issue))
		}
	}
	return list, err
}

func makeReleaseIssue(issue *core.IssueDetail) releaseIssue {
	kind, message := splitTitle(&issue.Issue)
	return releaseIssue{issueAddress{issue.ID, nil}.path(""), kind, message, issue.TimesSeen}
}

// listFixesOf reads the issues of the fixes that a release brought, with how each stands.
func (v *visit) listFixesOf(fixes []core.ReleaseFix) ([]releaseFixRow, error) {
	fixes = fixes[:min(len(fixes), issuesOfRelease)]
	ids := make([]int64, len(fixes))
	for i := range fixes {
		ids[i] = fixes[i].IssueID
	}
	issues, err := v.readIssues(ids)
	var rows []releaseFixRow
	for i, id := range ids {
		issue := issues[id]
		if issue == nil { // it is gone
			continue
		}
		row := releaseFixRow{makeReleaseIssue(issue), shortCommit(fixes[i].Ref), badge{kindInfo, "watched"}}
		if fixes[i].Kind == core.FixByPullRequest {
			row.By = fixes[i].Ref
		}
		switch fix := issue.Fix; {
		case fixes[i].Outcome == "verified":
			row.State = badge{kindGood, "held"}
		case fixes[i].Outcome == "regressed":
			row.State = badge{kindBad, "came back"}
		case fix != nil && !fix.VerifyAfter.IsZero():
			row.State = badge{kindGood, "quiet until " + v.at(fix.VerifyAfter).Date()}
		}
		if issue.Fix != nil {
			row.By = fmt.Sprintf("%s by %s", describeFix(issue.Fix), issue.Fix.LinkedBy)
		}
		rows = append(rows, row)
	}
	return rows, err
}

// describeSource says who reported a deploy.
func describeSource(source core.DeploySource) string {
	switch source {
	case core.DeployedBySCM:
		return "by source control"
	case core.DeployedBySentry:
		return "by a tool for Sentry"
	default:
		return ""
	}
}

// chartRelease draws the hours around the deploy.
func chartRelease(hours *core.ReleaseHours) *bars {
	names := make([]string, len(hours.Events))
	for i := range names {
		names[i] = hours.Since.Add(time.Duration(i) * time.Hour).UTC().Format("Jan 2, 15:04")
	}
	chart := newChart("Events of the project around the deploy, per hour", names, hours.Events)
	inHour := float64(hours.DeployedAt.Minute()) / 60
	chart.MarksAre = "deploy"
	chart.mark(core.ReleaseHoursShown, inHour, "deployed "+hours.DeployedAt.UTC().Format("Jan 2, 15:04")+" UTC")
	return &chart
}

// describeRates says how many events an hour there were before and after.
func describeRates(rates core.EventRates) string {
	write := func(rate *float64) string { return strconv.FormatFloat(*rate, 'g', 4, 64) }
	switch {
	case rates.Before == nil && rates.Since == nil:
		return ""
	case rates.Before == nil:
		return write(rates.Since) + " an hour since; no event came before"
	case rates.Since == nil:
		return write(rates.Before) + " an hour before; the first hour is not over"
	}
	return fmt.Sprintf("%s an hour before, %s since", write(rates.Before), write(rates.Since))
}
