package fixes

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxNamedIssues is how many issues one text may name; further ones are left out.
const maxNamedIssues = 20

var (
	// markerLine is a line such as "Errand-Issue: 42", or with several ids: "Errand-Issue: 42, #43".
	markerLine = regexp.MustCompile(`(?mi)^[ \t]*Errand-Issue:((?:[ \t,]*#?[0-9]+)+)[ \t]*\r?$`)
	digits     = regexp.MustCompile(`[0-9]+`)
)

// IssueMarkers finds the issues that a commit or a pull request names.
type IssueMarkers struct{ issueURL *regexp.Regexp }

// NewIssueMarkers makes IssueMarkers for an installation with the public URL.
func NewIssueMarkers(baseURL string) IssueMarkers {
	base := regexp.QuoteMeta(strings.TrimRight(baseURL, "/"))
	return IssueMarkers{regexp.MustCompile(`(?i)` + base + `(?:/v1)?/issues/([0-9]+)\b`)}
}

// FindIssues returns the ids of the issues that a text names, each once: by a line "Errand-Issue: 42", or by an issue's URL, such
// as https://errand.example/issues/42. The issues may not exist. The title of a revert names none: it quotes the change that it takes back.
func (m IssueMarkers) FindIssues(text string) []int64 {
	if title, rest, _ := strings.Cut(text, "\n"); isRevert(title) {
		text = rest
	}
	var ids []int64
	add := func(number string) {
		id, err := strconv.ParseInt(number, 10, 64)
		if err == nil && id > 0 && len(ids) < maxNamedIssues && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, line := range markerLine.FindAllStringSubmatch(text, maxNamedIssues) {
		for _, number := range digits.FindAllString(line[1], maxNamedIssues) {
			add(number)
		}
	}
	for _, url := range m.issueURL.FindAllStringSubmatch(text, maxNamedIssues) {
		add(url[1])
	}
	return ids
}

var (
	// mergeTitle is the title of a merge commit on GitHub, "Merge pull request #7 from acme/cart", and on Gitea, which puts the pull
	// request's title first.
	mergeTitle = regexp.MustCompile(`^Merge pull request (?:#([1-9][0-9]{0,9}) from|'.*' \(#([1-9][0-9]{0,9})\) from)`)
	// squashTitle is the end of a squashed pull request's title on both: "Load the cart (#7)".
	squashTitle = regexp.MustCompile(`\(#([1-9][0-9]{0,9})\)$`)
)

// mergeRequestLine is the end of GitLab's message for a merge or a squash.
var mergeRequestLine = regexp.MustCompile(`(?m)^See merge request ([^ !]+)!([1-9][0-9]{0,9})\r?$`)

// FindMergeRequest returns the project and the number of the GitLab merge request that a commit with the message merges; empty
// texts when the message names none.
func FindMergeRequest(message string) (project, number string) {
	if match := mergeRequestLine.FindStringSubmatch(message); match != nil {
		return match[1], match[2]
	}
	return "", ""
}

// FindMergedNumber returns the number of the pull request that a commit with the message merges, from its title, or an empty
// text.
func FindMergedNumber(message string) string {
	title, _, _ := strings.Cut(message, "\n")
	title = strings.TrimSpace(title)
	for _, form := range []*regexp.Regexp{mergeTitle, squashTitle} {
		for _, number := range form.FindStringSubmatch(title) {
			if number != "" && number[0] >= '1' && number[0] <= '9' {
				return number
			}
		}
	}
	return ""
}
