package core

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// filterForm matches what search engines take as a filter: is:unresolved.
var filterForm = regexp.MustCompile(`(?i)^(is|status|project|release|environment|assigned):(\S+)$`)

// statusWords are the values of the filter status.
var statusWords = func() []string {
	status, _ := reflect.TypeFor[ListIssuesInput]().FieldByName("Status")
	return strings.Split(status.Tag.Get("enum"), "|")
}()

// Check refuses a search that is meant as a filter, since it would find nothing. It lets through words that may stand in a title:
// "answered status:500", "no release:2 found".
func (in IssueSearch) Check() error {
	words := strings.Fields(in.Search)
	var filters [][]string // each with its name and its value
	for _, word := range words {
		if m := filterForm.FindStringSubmatch(word); m != nil {
			filters = append(filters, m)
		}
	}
	for _, m := range filters {
		if filter := nameFilter(strings.ToLower(m[1]), m[2], len(filters) == len(words)); filter != "" {
			return RefuseField("search", "finds text in titles and culprits only: %s is the filter %s", m[0], filter)
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
