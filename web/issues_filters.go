package web

import "errand/core"

// makeFilters makes the selects above the list.
func makeFilters(list issueList, projects []core.ListedProject, values core.FilterValues) []choice {
	ofProjects := []option{{Text: "All projects"}}
	for _, project := range projects {
		ofProjects = append(ofProjects, option{Value: project.Slug, Text: project.Name})
	}
	return []choice{
		chooseFrom("project", "Project", list.filters["project"], ofProjects...),
		chooseFrom("environment", "Environment", list.filters["environment"], listValues("Every environment", values.Environments)...),
		chooseFrom("release", "Release", list.filters["release"], listValues("Every release", values.Releases)...),
		chooseFrom("since", "Last seen", list.filters["since"], option{Text: "Any time"}, option{Value: "24h", Text: "Last 24 hours"},
			option{Value: "7d", Text: "Last 7 days"}, option{Value: "30d", Text: "Last 30 days"}),
		chooseFrom("sort", "Order", string(list.sort), option{Value: string(core.ByPriority), Text: "Most important first"},
			option{Value: string(core.ByLastSeen), Text: "Last seen first"}, option{Value: string(core.ByWork), Text: "Best to work on first"}),
	}
}

// listValues makes the options of a select: all, or one of the values.
func listValues(all string, values []core.FilterValue) []option {
	options := []option{{Text: all}}
	for _, value := range values {
		options = append(options, option{Value: string(value.Name), Text: value.Name})
	}
	return options
}
