package web

import (
	"errand/core"
)

// newsPart is the live part of the list: what has come since the page was opened, and whether events come in.
type newsPart struct {
	Count  int    // of new issues
	IsMore bool   // than the count
	Path   string // of the list with them
	Ingest ingestWords
}

// ingestWords say whether events come in.
type ingestWords struct {
	Kind string // of a badge: empty while all is well
	Text string
	Last moment // the last event
}

// newsName is the name of the live part of the list.
const newsName = "news"

// openedField is the field of a live part that says when its page was opened.
const openedField = "opened"

// maxNews is how many issues are looked at for new ones.
const maxNews = "100"

// showNews answers with the live part of the list.
func (v *visit) showNews(list issueList) error {
	var opened core.Time
	if err := opened.UnmarshalJSON([]byte(`"` + v.r.URL.Query().Get(openedField) + `"`)); err != nil || opened.IsZero() {
		return core.RefuseField(openedField, "must be the time at which the page was opened")
	}
	args := list.args("status", string(core.Open), "sort", string(core.ByLastSeen), "limit", maxNews, "fields", "id,first_seen",
		"since", opened.Format(core.TimeLayout))
	found, err := callOperation(v, core.ListIssues, args)
	if err != nil {
		return err
	}
	news := newsPart{Path: list.address(), Ingest: v.describeIngest(found.Ingest), IsMore: found.NextCursor != ""}
	for _, issue := range found.Data {
		if issue.FirstSeen.After(opened.Time) {
			news.Count++
		}
	}
	return v.show("issues", "Issues", issuesForm{News: news})
}

// describeIngest says in words whether events come in: without them a list of issues says nothing.
func (v *visit) describeIngest(ingest core.IngestState) ingestWords {
	words := ingestWords{Last: v.at(ingest.LastEventAt)}
	switch {
	case ingest.State == "over_quota":
		words.Kind, words.Text = kindWarn, "the quota of the day is used up: more events are refused until 00:00 UTC"
	case ingest.State == "degraded":
		words.Kind, words.Text = kindBad, "events were refused lately: the server was too busy, or its database was away"
	case ingest.TooManyIssues:
		words.Kind, words.Text = kindWarn, "too many new issues in this hour: more are refused until the next one"
	case ingest.State == "idle":
		words.Text = "no event came in the last 24 hours"
		if ingest.LastEventAt.IsZero() {
			words.Text = "no event has come in yet"
		}
	default:
		words.Text = "events come in"
	}
	return words
}
