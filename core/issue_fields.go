package core

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// IssueFields chooses the members of each issue in a list: names, with a dot for members of triage and claim, or one
// of the words below. An empty list chooses every member.
type IssueFields []string

// Words that stand for names.
const (
	AllFields  = "all"
	LeanFields = "lean" // what a model needs to choose its work
)

// leanFields are the members that stand for lean. The texts of title, culprit and holder are cut too.
var leanFields = []string{"id", "project", "title", "culprit", "status", "level", "events_24h", "times_seen", "users_affected",
	"priority", "last_seen", "claim.holder", "approval.action", "trust", "triage.category", "triage.severity", "triage.agent_fixable",
	"triage.noise"}

// The longest texts of a lean issue, in bytes of JSON. A slug is never cut: the excess is taken from the title.
const (
	leanSlug    = 24
	leanTitle   = 100
	leanCulprit = 60
	leanHolder  = 32
)

// IssueFieldNames returns the names of the members of an issue.
func IssueFieldNames() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Issue]()) {
		if name := jsonName(f); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// innerIssueFields are the members whose own members can be chosen.
func innerIssueFields() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Issue]()) {
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || writesItself(t) {
			continue
		}
		for _, inner := range reflect.VisibleFields(t) {
			if name := jsonName(inner); name != "" {
				names = append(names, jsonName(f)+"."+name)
			}
		}
	}
	return names
}

// Check refuses names that are not members of an issue. The error lists the members.
func (fields IssueFields) Check() error {
	known := append(append(IssueFieldNames(), innerIssueFields()...), AllFields, LeanFields)
	for _, name := range fields {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%q is not a member of an issue; allowed: %s, %s, %s", name, AllFields, LeanFields,
				strings.Join(append(IssueFieldNames(), "triage.category"), ", "))
		}
	}
	return nil
}

// ListedIssue is an issue in a list, with the members that were asked for.
type ListedIssue struct {
	Issue
	Fields IssueFields `json:"-"`
}

// SchemaName is Issue, as for the whole noun.
func (ListedIssue) SchemaName() string { return "Issue" }

// MarshalJSON writes the chosen members in the order of their declaration.
func (l ListedIssue) MarshalJSON() ([]byte, error) {
	if len(l.Fields) == 0 || slices.Contains(l.Fields, AllFields) {
		return marshalPlain(l.Issue)
	}
	if slices.Contains(l.Fields, LeanFields) {
		l.cutTexts()
	}
	return writeMembers(reflect.ValueOf(l.Issue), l.Fields.chooseMembers())
}

// leanMembers are the members of lean, the fields of nearly every list that a model reads.
var leanMembers = sync.OnceValue(func() []chosenMember { return chooseMembers(reflect.TypeFor[Issue](), leanFields) })

func (fields IssueFields) chooseMembers() []chosenMember {
	if len(fields) == 1 && fields[0] == LeanFields {
		return leanMembers()
	}
	chosen := slices.Clone(fields)
	if slices.Contains(fields, LeanFields) {
		chosen = append(chosen, leanFields...)
	}
	return chooseMembers(reflect.TypeFor[Issue](), chosen)
}

// cutTexts makes the texts of a lean issue short.
func (i *Issue) cutTexts() {
	i.Title = cutText(i.Title, leanTitle-max(0, len(i.Project)-leanSlug))
	i.Culprit = cutText(i.Culprit, leanCulprit)
	if i.Claim != nil {
		claim := *i.Claim
		claim.Holder = cutText(claim.Holder, leanHolder)
		i.Claim = &claim
	}
}

// cutText cuts a text to at most atMost bytes of JSON. A text that was cut ends with an ellipsis.
func cutText[T ~string](text T, atMost int) T {
	const sign = "…"
	if fittingPrefix(string(text), atMost) == len(text) {
		return text
	}
	return text[:fittingPrefix(string(text), atMost-len(sign))] + sign
}
