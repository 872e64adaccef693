package core

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// filterForm matches what search engines take as a filter: is:unresolved.
var filterForm = regexp.MustCompile(`(?i)^(is|status|project|release|environment|assigned):(\S+)$`)

// statusWords are the words that name statuses in filters, for list_issues.
var statusWords = []string{
	string(Open), string(Unresolved), string(Resolved), string(Ignored), string(Merged), string(FixPending), string(Verified),
	string(Regressed),
}

// Check refuses a search that is meant as a filter, since it would find nothing. What may be a part of a title is searched for:
// "answered status:500", "no release:2 found".
func (in IssueSearch) Check() error {
	words := strings.Fields(in.Search)
	isAllFilters := !slices.ContainsFunc(words, func(word string) bool { return !filterForm.MatchString(word) })
	for _, word := range words {
		m := filterForm.FindStringSubmatch(word)
		if m == nil {
			continue
		}
		if filter := nameFilter(strings.ToLower(m[1]), m[2], isAllFilters); filter != "" {
			return RefuseField("search", "finds text in titles and culprits only: %s is the filter %s", word, filter)
		}
	}
	return nil
}

// nameFilter returns the filter of list_issues that a word like is:unresolved means; empty when it may be text. Names of projects,
// releases and environments are taken for filters only in a search of nothing else.
func nameFilter(name, value string, isAllFilters bool) string {
	word := strings.ToLower(value)
	switch name {
	case "is", "status":
		if word == string(Unresolved) { // elsewhere that word means every issue to work on
			word = string(Open)
		}
		if slices.Contains(statusWords, word) {
			return "status=" + word
		}
	case "assigned":
		if word == "me" || word == "none" {
			return fmt.Sprintf("claimed=%t", word == "me")
		}
	default:
		if isAllFilters {
			return name + "=" + value
		}
	}
	return ""
}
