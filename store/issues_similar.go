package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"errand/core"
	"errand/similar"
	"errand/store/pg"
	"errand/store/watch"
)

// SimilarQuery asks for issues similar to an issue or to a text.
type SimilarQuery struct {
	IssueID   int64 // 0: Text is used instead
	Text      string
	ProjectID int64 // 0: all in reach
	Limit     int
}

// Bounds of a search. Only issues that share a rare feature are compared. Features are taken from the rarest on until that
// many issues have them. If more than mostOfOne issues have a feature, its exact count does not matter.
const (
	mostCandidates = 1500
	mostOfOne      = 500
)

// leastScore is the minimum score of a similar issue.
const leastScore = 0.1

// FindSimilar returns the most similar issues, best first. It leaves out the issue itself, merged and test issues, and
// issues of deleted projects. An unknown or merged issue is not_found.
func (s *Store) FindSimilar(ctx context.Context, q SimilarQuery) ([]core.SimilarIssue, error) {
	wanted, err := s.readWantedFeatures(ctx, q)
	if err != nil {
		return nil, err
	}
	frequencies, err := s.readFrequencies(ctx)
	if err != nil {
		return nil, err
	}
	search, frequencies, err := s.chooseRarest(ctx, q, wanted, frequencies)
	if err != nil || len(search) == 0 {
		return nil, err
	}
	searched := projectsOf(ctx, q.ProjectID)
	each, err := s.projectsToSearch(ctx, searched)
	if err != nil {
		return nil, err
	}
	candidates, err := pg.QueryEach[candidate](ctx, s.db, s.db.Main, findCandidates, pg.Args{
		"features": search, "issue_id": q.IssueID, "projects": searched, "most": 2 * mostCandidates,
	}, each)
	if err != nil {
		return nil, err
	}
	compare := similar.CompareIssues
	if q.IssueID == 0 {
		compare = similar.CompareText
	}
	weights := frequencies.ComputeWeights()
	for i := range candidates {
		candidates[i].match = compare(wanted, candidates[i].Features, weights)
	}
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return c.match.Score < leastScore })
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.match.Score, a.match.Score), cmp.Compare(b.IssueID, a.IssueID)) // of equals the newest first
	})
	candidates = slices.CompactFunc(candidates, func(a, b candidate) bool { return a.IssueID == b.IssueID })
	return s.readSimilarIssues(ctx, candidates, q.Limit)
}

const selectFeatures = `
SELECT i.title, i.type, i.culprit, coalesce(i.merged_into, 0) AS merged_into, f.features FROM issues i
JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
LEFT JOIN issue_features f ON f.project_id = i.project_id AND f.issue_id = i.id
WHERE i.project_id = @project_id AND i.id = @id`

func (s *Store) readWantedFeatures(ctx context.Context, q SimilarQuery) ([]int32, error) {
	if q.IssueID == 0 {
		return similar.FeaturesOfText(q.Text), nil
	}
	project, err := s.findIssueOwner(ctx, q.IssueID)
	if err != nil {
		return nil, err
	}
	row, err := pg.QueryOneOf[struct {
		Title, Type, Culprit string
		MergedInto           core.OptInt
		Features             []int32
	}](ctx, s.db, project, selectFeatures, pg.Args{"project_id": project, "id": q.IssueID})
	if err == nil && row.MergedInto != 0 {
		err = refuseMerged(row.MergedInto)
	}
	if err == nil && row.Features == nil {
		row.Features = similar.FeaturesOfIssue(row.Title, row.Type, row.Culprit) // not read yet
	}
	return row.Features, err
}

// Each feature is looked up alone: for a list of them the planner may expect that reading all issues is cheaper.
const countFeatures = `
SELECT n.feature, c.issues FROM unnest(@features::integer[]) AS n (feature) CROSS JOIN LATERAL (
	SELECT count(*) AS issues FROM (
		SELECT 1 FROM issue_features f
		WHERE f.features @> ARRAY[n.feature] AND /* of some projects: f */ true
			AND (@projects::bigint[] IS NULL OR f.project_id = ANY (@projects)) LIMIT @most
	) seen
) c`

// chooseRarest chooses the features that find candidates, and adds the counts that it reads to the known frequencies.
func (s *Store) chooseRarest(
	ctx context.Context, q SimilarQuery, wanted []int32, frequencies similar.Frequencies,
) ([]int32, similar.Frequencies, error) {
	frequencies.Of = maps.Clone(frequencies.Of)
	rare := slices.DeleteFunc(slices.Clone(wanted), func(feature int32) bool { _, common := frequencies.Of[feature]; return common })
	searched := projectsOf(ctx, q.ProjectID)
	each, err := s.projectsToSearch(ctx, searched)
	if err != nil {
		return nil, frequencies, err
	}
	counts, err := pg.QueryEach[struct {
		Feature int32
		Issues  float64
	}](ctx, s.db, s.db.Main, countFeatures, pg.Args{"features": rare, "projects": searched, "most": mostOfOne}, each)
	if err != nil {
		return nil, frequencies, err
	}
	for _, c := range counts {
		frequencies.Of[c.Feature] += c.Issues
	}
	byFrequency := slices.SortedFunc(slices.Values(wanted), func(a, b int32) int {
		return cmp.Or(cmp.Compare(frequencies.Of[a], frequencies.Of[b]), cmp.Compare(a, b))
	})
	var search []int32
	most, sum := float64(mostCandidates), 0.0
	if q.IssueID != 0 && q.ProjectID == 0 {
		most /= 2 // the stack counts more than the words of a text, and no project is left out
	}
	for _, feature := range byFrequency {
		n := frequencies.Of[feature]
		if sum += n; sum > most {
			break
		}
		if n > 0 {
			search = append(search, feature)
		}
	}
	return search, frequencies, nil
}

// An issue appears once for each feature. The statement reads whole arrays, since it reads their rows anyway: counting
// shared features first, and then looking up the best issues, would take longer than comparing all. Counts from old
// statistics may be too low, hence the limit, which the rarest features reach first.
const findCandidates = `
SELECT f.project_id, f.issue_id, f.features FROM unnest(@features::integer[]) AS n (feature) CROSS JOIN LATERAL (
	SELECT project_id, issue_id, features FROM issue_features
	WHERE features @> ARRAY[n.feature] AND /* of some projects: issue_features */ true OFFSET 0
) f
WHERE f.issue_id <> @issue_id AND (@projects::bigint[] IS NULL OR f.project_id = ANY (@projects)) LIMIT @most`

type candidate struct {
	ProjectID, IssueID int64
	Features           []int32
	match              similar.Match
}

const selectIssuesByID = selectIssues + `
JOIN unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id) ON i.project_id = n.project_id AND i.id = n.id
WHERE i.status <> 'merged' AND NOT i.test AND /* of its project: i */ true`

// readSimilarIssues reads the best of the sorted candidates. It leaves out merged, test and deleted issues, and reads more
// candidates only if some of the first ones were left out.
func (s *Store) readSimilarIssues(ctx context.Context, sorted []candidate, limit int) ([]core.SimilarIssue, error) {
	now := s.Now()
	list := make([]core.SimilarIssue, 0, min(len(sorted), limit))
	for count := limit; len(sorted) > 0 && len(list) < limit; count *= 2 {
		best := sorted[:min(len(sorted), count)]
		sorted = sorted[len(best):]
		a := issueTimes(now)
		projects, ids, _ := pg.SplitColumns(best, func(c candidate) (project, issue int64, _ struct{}) {
			return c.ProjectID, c.IssueID, struct{}{}
		})
		a["projects"], a["ids"] = projects, ids
		issues, err := pg.QueryEach[issueRow](ctx, s.db, s.db.Main, selectIssuesByID, a, projects)
		if err != nil {
			return nil, err
		}
		byID := make(map[int64]issueRow, len(issues))
		for _, i := range issues {
			byID[i.ID] = i
		}
		for _, c := range best {
			if row, ok := byID[c.IssueID]; ok && len(list) < limit {
				list = append(list, core.SimilarIssue{Issue: row.toIssue(now), Score: c.match.Score, Reasons: c.match.ListReasons()})
			}
		}
	}
	return list, s.addWhatFixed(ctx, list)
}

// An issue that someone reopened, or whose error returned, was not fixed.
const selectWhatFixed = selectFixesOfSimilar + `
WHERE f.outcome = 'verified' AND i.status IN ('verified', 'resolved', 'ignored')`

// addWhatFixed adds the verified fix to each similar issue that has one.
func (s *Store) addWhatFixed(ctx context.Context, list []core.SimilarIssue) error {
	if len(list) == 0 {
		return nil
	}
	projects, ids, _ := pg.SplitColumns(list, keyOfSimilar)
	verified, err := pg.QueryEach[watch.Fix](ctx, s.db, s.db.Main, selectWhatFixed, pg.Args{"projects": projects, "ids": ids}, projects)
	for i := range list {
		list[i].Fix = findFixOf(verified, list[i].Issue.ID)
	}
	return err
}

func keyOfSimilar(i core.SimilarIssue) (project, issue int64, _ struct{}) {
	return i.Issue.ProjectID, i.Issue.ID, struct{}{}
}

// findFixOf returns the fix of an issue from the list, or nil.
func findFixOf(found []watch.Fix, issue int64) *core.Fix {
	n := slices.IndexFunc(found, func(f watch.Fix) bool { return f.IssueID == issue })
	if n < 0 {
		return nil
	}
	fix := showFix(found[n])
	return &fix
}
