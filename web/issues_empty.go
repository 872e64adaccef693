package web

import "errand/core"

// explainEmpty says why the list is empty, and what to do next.
func (v *visit) explainEmpty(list issueList, projects []core.ListedProject) *emptyList {
	isPlain := len(list.filters) == 0 && list.cursor == ""
	switch {
	case len(projects) == 0 && v.may(core.SiteRight):
		return &emptyList{
			Title: "No application is connected yet",
			Lines: []string{"Its errors are here as soon as it sends them. An agent can connect it, or you by hand; a demo is there too."},
			Links: []frameLink{{Name: "Connect the first application", Path: welcomePath}},
		}
	case len(projects) == 0:
		return &emptyList{
			Title: "You see no project yet",
			Lines: []string{"You see the projects of your teams. An owner or admin of a team, or a site admin, can add you to one."},
			Links: []frameLink{{Name: "How an application is connected", Path: welcomePath}},
		}
	case isPlain && list.status == core.Open && !haveEvents(projects):
		return &emptyList{
			Title: "No event has come in yet",
			Lines: []string{"There is a project, and its application has sent nothing so far."},
			Links: []frameLink{{Name: "Connect the application", Path: welcomePath}},
		}
	case !isPlain:
		return &emptyList{
			Title: "No issue passes these filters",
			Lines: []string{"Choose another status or project, or look at everything."},
			Links: []frameLink{{Name: "Clear the filters", Path: issueList{nil, list.status, list.sort, ""}.address()}},
		}
	}
	switch list.status {
	case core.Open:
		return &emptyList{Title: "Nothing is broken", Lines: []string{"There is no open issue. New errors appear here as they come in."}}
	case core.Regressed:
		return &emptyList{Title: "Nothing came back", Lines: []string{"An issue is here when its error happens again after a fix was deployed."}}
	case core.FixPending:
		return &emptyList{Title: "No fix waits", Lines: []string{"An issue is here from the link of its fix until the fix has held, or has not."}}
	case core.Verified:
		return &emptyList{
			Title: "No fix is verified yet",
			Lines: []string{"Link a fix to an issue and report deploys: an issue is here when its error stayed away after the deploy."},
		}
	case core.Resolved:
		return &emptyList{Title: "Nothing is resolved", Lines: []string{"Select issues in the list and resolve them: a new event reopens one."}}
	}
	return &emptyList{Title: "Nothing is ignored", Lines: []string{"Ignored issues are counted on, and nobody is told of them."}}
}
