package store

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/store/pg"
)

// searchBounds decide when a search uses the index. The more issues have the text, the longer that takes, and the sooner
// the order of the list finds a page: both take about 10 ms where 2,000 of 200,000 issues have the text.
type searchBounds struct {
	newest   int // how many of the newest issues are searched; if there are fewer, all can be
	frequent int // a text that this many of them have is frequent
	found    int // a text that more issues than this may have is frequent too
}

var usualSearch = searchBounds{newest: 300, frequent: 15, found: 2000}

// foundIssues are the issues that may have the searched text. The list is missing for a text that is frequent or too short for
// the index: there the order of the list finds a page sooner.
type foundIssues struct{ Projects, IDs []int64 }

// searchIndex returns the statement that finds them. A subquery hides the grams from the planner: it would take frequent
// grams to be frequent together too, and read all issues. Issues that are not in the index yet are found as well.
func searchIndex(matches string, ofOneProject bool) string {
	ofProject := "true"
	if ofOneProject {
		ofProject = "i.project_id = @project_id"
	}
	return `
WITH newest AS MATERIALIZED (
	SELECT i.title, i.culprit FROM issues i WHERE ` + ofProject + ` ORDER BY i.listed_from DESC LIMIT @newest
), text AS MATERIALIZED (
	SELECT count(*) = @newest AND count(*) FILTER (WHERE ` + matches + `) < @frequent AS is_rare FROM newest i
), found AS (
	(SELECT g.project_id, g.issue_id FROM issue_grams g
	WHERE (SELECT is_rare FROM text) AND g.grams @> (SELECT @grams::integer[]) LIMIT @found + 1)
	UNION ALL
	(SELECT i.project_id, i.id FROM issues i
	WHERE (SELECT is_rare FROM text) AND NOT i.has_grams AND ` + ofProject + ` AND ` + matches + `
	ORDER BY i.project_id, i.id LIMIT @found + 1)
)
SELECT array_agg(f.project_id) AS projects, array_agg(f.issue_id) AS ids,
	(SELECT is_rare FROM text) AND count(*) <= @found AS are_few
FROM found f`
}

// searchIssues asks the index for the issues that may have the filter's text, or returns nil.
func (s *Store) searchIssues(ctx context.Context, f IssueFilter) (*foundIssues, error) {
	matches, pattern := f.searchCondition()
	return s.findByGrams(ctx, f.ProjectID, hashSearchGrams(f.ProjectID, f.Search), matches, pattern)
}

// findByGrams asks the index for the issues of a project, or of all for 0, that have the grams. matches is the condition,
// with @pattern, that an issue is really meant.
func (s *Store) findByGrams(ctx context.Context, project int64, grams []int32, matches, pattern string) (*foundIssues, error) {
	if len(grams) == 0 {
		return nil, nil
	}
	bounds := s.searchBounds
	a := pg.Args{"grams": grams, "pattern": pattern, "newest": bounds.newest, "frequent": bounds.frequent, "found": bounds.found}
	if project != 0 {
		a["project_id"] = project
	}
	return s.readFound(ctx, searchIndex(matches, project != 0), a)
}

// readFound runs a statement that finds issues, and returns nil if they are not few.
func (s *Store) readFound(ctx context.Context, sql string, args pg.Args) (*foundIssues, error) {
	row, err := pg.QueryOne[struct {
		foundIssues
		AreFew bool
	}](ctx, s.db.Main, sql, args)
	if err != nil || !row.AreFew {
		return nil, err
	}
	return &row.foundIssues, nil
}

// searchCondition returns the condition that an issue has the text, and its pattern.
func (f IssueFilter) searchCondition() (condition, pattern string) {
	operator, pattern := searchPattern(f.Search)
	return fmt.Sprintf("(i.title %[1]s @pattern OR i.culprit %[1]s @pattern)", operator), pattern
}

// fromFound reads a list from the issues that an index has found. With LIMIT 1 each is looked up by its key, however many
// the planner expects.
const fromFound = `
FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
CROSS JOIN LATERAL (SELECT * FROM issues WHERE project_id = n.project_id AND id = n.id AND /* of some projects: issues */ true LIMIT 1) i`

// readOnlyFound restricts the list to the found issues.
func readOnlyFound(l *pg.List, found *foundIssues) {
	l.Args["projects"], l.Args["ids"] = found.Projects, found.IDs
}

// likeEscaper makes % and _ plain characters of a LIKE pattern.
var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// searchPattern returns the operator and the pattern that find the text anywhere, in any case. ILIKE is faster, but in a
// database of locale C, such as the private one, it knows the cases of ASCII letters only. For other letters a regular
// expression lists the cases, which needs no locale.
func searchPattern(text string) (operator, pattern string) {
	if isASCII(text) {
		return "ILIKE", "%" + likeEscaper.Replace(text) + "%"
	}
	var b strings.Builder
	for _, r := range text {
		switch folds := listCaseFolds(r); {
		case len(folds) > 1:
			b.WriteString("[" + string(folds) + "]") // only letters, so nothing in it is special
		case r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return "~", b.String()
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// listCaseFolds returns the letters that differ from r only in case, and r itself.
func listCaseFolds(r rune) []rune {
	folds := []rune{r}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		folds = append(folds, next)
	}
	return folds
}
