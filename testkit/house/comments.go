package house

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// turn is a turn of phrase that reads like a translation. A match is a reason to read the sentence aloud, not a verdict.
type turn struct {
	name    string
	pattern *regexp.Regexp
	allowed []string // beginnings of the pattern's first group that are plain English
}

var turns = []turn{
	{name: "has X done", pattern: regexp.MustCompile(`\b(?:has|have) ` +
		`(?:a|an|the|its|their|it|them|somebody|nobody|no|others?|others'|each|any)(?: \w+){0,4} ` +
		`(?:\w+ed|begin|end|bring|look|looked|wait|made|taken|shown|sent|read|answer|drop|run|go|come)\b`)},
	{name: "by what, of which, with whom", pattern: regexp.MustCompile(`\b(?:of|by|from|under|at|to|with|in|on|for) (?:which|whom|what)\b`)},
	{name: "whoever, whatever", pattern: regexp.MustCompile(`\b(?:who|what|where)ever\b`)},
	{name: "what ... as the subject", pattern: regexp.MustCompile(`(?:^\s*//|[.:;])\s+What \w+`)},
	{name: "who ... as the subject", pattern: regexp.MustCompile(`(?:^\s*//|[.:;])\s+Who \w+`)},
	{name: "anew, all the same, meanwhile",
		pattern: regexp.MustCompile(`\b(?:anew|meanwhile|once more|all the same|hereby|thereby|thereof|by then|as yet)\b`)},
	{name: "is to be", pattern: regexp.MustCompile(`\b(?:is|are|was|were) to (?:be )?\w+`)},
	{name: "as X has it", pattern: regexp.MustCompile(`\bas [\w ]{2,30} (?:has|have) (?:it|them)\b`)},
	{name: "is no X", pattern: regexp.MustCompile(`\bis no (\w+)`), allowed: []string{"longer", "more", "less", "one"}},
	{name: "that of, those of", pattern: regexp.MustCompile(`\b(?:that|those) of\b`)},
}

var commentLine = regexp.MustCompile(`^\s*//\s`)

// OddComment is a line of comment with a turn that reads like a translation.
type OddComment struct {
	Line int
	Text string // from the slashes to the end of the line
	Turn string // the first that matches, such as "is to be"
}

// readTurn returns the name of the first turn in a line of comment, or "".
func readTurn(line string) string {
	for _, t := range turns {
		if t.matches(line) {
			return t.name
		}
	}
	return ""
}

func (t turn) matches(line string) bool {
	for _, match := range t.pattern.FindAllStringSubmatch(line, -1) {
		isAllowed := slices.ContainsFunc(t.allowed, func(beginning string) bool { return strings.HasPrefix(match[1], beginning) })
		if !isAllowed {
			return true
		}
	}
	return false
}

// CommentCount is how many lines of comment a package has, or all packages, and how many of them are odd.
type CommentCount struct {
	Package string
	Lines   int
	Odd     int
}

// Share returns the percentage of odd lines; 0 when there are no comments.
func (c CommentCount) Share() float64 { return 100 * float64(c.Odd) / float64(max(c.Lines, 1)) }

// CountComments counts the lines of comment of each package, the one with the largest share of odd lines first, and of all packages.
func (s Sources) CountComments() (packages []CommentCount, total CommentCount) {
	total.Package = "total"
	counts := map[string]*CommentCount{}
	for _, f := range s.Files {
		folder := path.Dir(f.Path)
		if counts[folder] == nil {
			counts[folder] = &CommentCount{Package: folder}
		}
		for _, count := range []*CommentCount{counts[folder], &total} {
			count.Lines += f.CommentLines
			count.Odd += len(f.OddComments)
		}
	}
	for _, count := range counts {
		packages = append(packages, *count)
	}
	slices.SortFunc(packages, func(a, b CommentCount) int {
		return cmp.Or(cmp.Compare(b.Share(), a.Share()), cmp.Compare(a.Package, b.Package))
	})
	return packages, total
}
