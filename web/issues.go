package web

import (
	"net/url"
	"slices"
	"time"

	"errand/core"
)

// issuesForm is what the list of the issues shows.
type issuesForm struct {
	Filters  []choice
	Kept     []keptField // filters that have no select
	Tabs     tabs
	Rows     []issueRow
	News     newsPart
	NewsPath string // of the live part
	CanWrite bool
	Here     string // the address of the list
	Pager    pager
	Hidden   []frameLink // what the list leaves out
	Only     string      // what alone the list shows of what it leaves out otherwise
	All      string      // the list without that
	Empty    *emptyList
}

// keptField is a field that a form sends on as it is.
type keptField struct{ Name, Value string }

// listFilters are the filters of list_issues that the address of the page may have.
var listFilters = []string{"project", "environment", "release", "since", "search", "tag", "claimed", "test", noiseFilter}

// noiseFilter is the filter that the list has by itself: without noise.
const noiseFilter = "noise"

// issueTabs are the parts of the list, by the status that their address has.
var issueTabs = []struct {
	status core.Status
	name   string
}{
	{core.Open, "Open"}, {core.Regressed, "Regressed"}, {core.FixPending, "Fix pending"}, {core.Verified, "Verified"},
	{core.Resolved, "Resolved"}, {core.Ignored, "Ignored"},
}

// issueList is the list that an address asks for.
type issueList struct {
	filters map[string]string // set ones of listFilters
	status  core.Status
	sort    core.IssueSort
	cursor  string
}

// readIssueList reads the address of the list. The operations check the values.
func (v *visit) readIssueList() issueList {
	query := v.r.URL.Query()
	list := issueList{map[string]string{}, core.Open, core.ByPriority, query.Get("cursor")}
	for _, name := range listFilters {
		if value := query.Get(name); value != "" {
			list.filters[name] = value
		}
	}
	if status := query.Get("status"); status != "" {
		list.status = core.Status(status)
	}
	if sort := query.Get("sort"); sort != "" {
		list.sort = core.IssueSort(sort)
	}
	return list
}

// args returns the filters as arguments of an operation, with more of them as name, value.
func (l issueList) args(more ...string) map[string]any {
	args := map[string]any{noiseFilter: "false"}
	for name, value := range l.filters {
		args[name] = value
	}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i]] = more[i+1]
	}
	return args
}

// address returns the path of the list with some fields changed, as name, value; an empty value leaves one out. It begins at the first
// page.
func (l issueList) address(changes ...string) string {
	query := url.Values{}
	for name, value := range l.filters {
		query.Set(name, value)
	}
	if l.status != core.Open {
		query.Set("status", string(l.status))
	}
	if l.sort != core.ByPriority {
		query.Set("sort", string(l.sort))
	}
	for i := 0; i+1 < len(changes); i += 2 {
		query.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			query.Del(changes[i])
		}
	}
	if len(query) == 0 {
		return issuesPath
	}
	return issuesPath + "?" + query.Encode()
}

// showIssues is the list of the issues.
func (s *Site) showIssues(v *visit) error {
	list := v.readIssueList()
	if v.isFragment() {
		return v.showNews(list)
	}
	args := list.args("status", string(list.status), "sort", string(list.sort))
	if list.cursor != "" {
		args["cursor"] = list.cursor
	}
	var found core.IssuePage
	var projects core.Data[core.List[core.ListedProject]]
	var counts core.IssueCounts
	var values core.FilterValues
	err := runTogether(
		func() (err error) { found, err = callOperation(v, core.ListIssues, args); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
		func() (err error) { counts, err = v.countIssues(list); return err },
		func() (err error) { values, err = v.listFilterValues(list); return err },
	)
	if err != nil {
		return err
	}
	form := issuesForm{
		Tabs: makeIssueTabs(list, counts), CanWrite: v.may(core.WriteRight), Here: list.address("cursor", list.cursor),
		News: newsPart{Ingest: v.describeIngest(found.Ingest)}, Hidden: list.linkHidden(counts), Kept: list.keptFields(),
		Filters: makeFilters(list, projects.Data, values),
		Only:    list.nameOnly(), All: list.address("test", "", noiseFilter, ""),
		NewsPath: list.address(fragmentField, newsName, openedField, v.now.UTC().Format(time.RFC3339)),
	}
	if form.Rows, err = v.makeIssueRows(found.Data); err != nil {
		return err
	}
	form.Pager = makeIssuePager(list, found, counts)
	if len(found.Data) == 0 {
		form.Empty = v.explainEmpty(list, projects.Data)
	}
	return v.show("issues", "Issues", form)
}

// keptFields are the fields that the form of the filters sends on beside its selects.
func (l issueList) keptFields() []keptField {
	var kept []keptField
	for _, name := range []string{"search", "tag", "claimed", "test", noiseFilter} {
		if value := l.filters[name]; value != "" {
			kept = append(kept, keptField{name, value})
		}
	}
	if l.status != core.Open {
		kept = append(kept, keptField{"status", string(l.status)})
	}
	return kept
}

// makeIssueTabs makes the tabs. Each counts its issues under the same filters.
func makeIssueTabs(list issueList, counts core.IssueCounts) tabs {
	made := tabs{Label: "Status"}
	for _, t := range issueTabs {
		status := string(t.status)
		if t.status == core.Open {
			status = ""
		}
		made.Tabs = append(made.Tabs, tab{
			Name: t.name, Path: list.address("status", status), Number: countOf(counts, t.status), HasNumber: true,
			IsAtLeast: !counts.Complete, IsHere: t.status == list.status,
		})
	}
	if !slices.ContainsFunc(made.Tabs, func(t tab) bool { return t.IsHere }) { // such as merged, which has no tab
		made.Tabs = append(made.Tabs, tab{Name: string(list.status), Path: list.address(), IsHere: true})
	}
	return made
}

// countOf returns how many issues have a status.
func countOf(counts core.IssueCounts, status core.Status) int64 {
	switch status {
	case core.Open:
		return counts.Open
	case core.Unresolved:
		return counts.Unresolved
	case core.Regressed:
		return counts.Regressed
	case core.FixPending:
		return counts.FixPending
	case core.Verified:
		return counts.Verified
	case core.Resolved:
		return counts.Resolved
	case core.Ignored:
		return counts.Ignored
	case core.Merged:
		return counts.Merged
	}
	return 0
}

// linkHidden links what the list leaves out by itself.
func (l issueList) linkHidden(counts core.IssueCounts) (hidden []frameLink) {
	for _, kind := range []struct {
		name  string
		count int64
	}{{"test", counts.Hidden.Test}, {noiseFilter, counts.Hidden.Noise}} {
		if kind.count > 0 {
			hidden = append(hidden, frameLink{Name: writeCount(kind.count) + " " + kind.name, Path: l.address(kind.name, "true")})
		}
	}
	return hidden
}

// nameOnly names what alone the list shows of what it leaves out otherwise, or returns "".
func (l issueList) nameOnly() string {
	switch {
	case l.filters["test"] == "true":
		return "test issues"
	case l.filters[noiseFilter] == "true":
		return "noise: no errors of the app"
	}
	return ""
}

// makeIssuePager makes the line below the list.
func makeIssuePager(list issueList, found core.IssuePage, counts core.IssueCounts) pager {
	p := pager{Shown: writePlural(len(found.Data), "issue", "issues"), OlderText: "Next"}
	if all := countOf(counts, list.status); all > int64(len(found.Data)) {
		p.Shown = writeCount(len(found.Data)) + " of " + writeCount(all)
		if !counts.Complete {
			p.Shown += "+"
		}
	}
	if list.sort == core.ByLastSeen {
		p.OlderText = "Older"
	}
	if list.cursor != "" {
		p.First = list.address()
	}
	if found.NextCursor != "" {
		p.Older = list.address("cursor", string(found.NextCursor))
	}
	return p
}
