package web

import (
	"strings"
	"time"

	"errand/core"
)

// galleryForm is what the gallery shows: each component with ordinary, empty and hostile content.
type galleryForm struct{ Samples []gallerySample }

// gallerySample is the content of the components, one kind of it.
type gallerySample struct {
	Name     string
	Badges   []badge
	Tabs     tabs
	Select   choice
	Flash    *flash
	Ago      moment
	Date     moment
	Copy     string
	Spark    bars
	Chart    bars
	Rows     []issueRow
	Pager    pager
	Empty    emptyList
	Progress []step
	Stack    []stackPart
	Story    []storyLine
	gallerySettings
}

// hostile is text as an app may send it: markup, characters that turn the line around or show nothing, and no place to break.
var hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)> pay` +
	"\u202egnp.exe\u2066 a\u200bb\x00 \xff " + strings.Repeat("x", 10_000)

// showGallery is the page of the components, for site admins.
func (s *Site) showGallery(v *visit) error {
	if !v.may(core.SiteRight) {
		return core.NewError(core.Forbidden).With("required_role", "site_admin")
	}
	return v.show("gallery", "Gallery", galleryForm{[]gallerySample{
		v.sampleOrdinary(), v.sampleEmpty(), v.sampleHostile(),
	}})
}

func (v *visit) sampleOrdinary() gallerySample {
	before := func(d time.Duration) core.Time { return core.At(v.now.Add(-d)) }
	dated := v.at(before(50 * time.Hour))
	issue := core.Issue{
		ID: 48213, Project: "shop", Type: "TypeError", Title: "TypeError: Cannot read properties of undefined (reading 'total')",
		Culprit: "cart.total in src/cart.ts", Level: "error", Status: core.Regressed, TimesSeen: 1204, UsersAffected: 1,
		FirstSeen: before(720 * time.Hour), LastSeen: before(3 * time.Minute), LastRelease: "1.4.3",
		Claim: &core.Claim{Holder: "claude-2", ExpiresAt: core.At(v.now.Add(41 * time.Minute))},
	}
	row := v.makeIssueRow(&issue)
	spark := newSpark([]int64{1, 2, 0, 3, 4, 2, 1, 0, 0, 0, 5, 8, 12, 20, 31, 28, 40, 38, 35, 30, 22, 18, 12, 9})
	row.Spark = &spark
	return gallerySample{
		Name: "Ordinary", gallerySettings: v.settingsOrdinary(),
		Badges: []badge{{"", "transient"}, {kindBad, "regressed in 1.4.3"}, {kindWarn, "merge waits for approval"},
			{kindGood, "the fix held"}, {kindInfo, "claude-2 · 41 min left"}},
		Tabs: tabs{"Ordinary", []tab{
			{"Open", "#", 1204, true, false, true}, {"Regressed", "#", 2, true, true, false}, {"Other", "#", 0, false, false, false},
		}},
		Select: chooseFrom("gallery", "Project", "shop", option{Value: "", Text: "All projects"}, option{Value: "shop", Text: "Shop"}),
		Flash:  &flash{Text: "3 resolved.", Undo: &undo{Path: galleryPath}},
		Ago:    v.at(before(3 * time.Minute)), Date: dated, Copy: "errand demo", Spark: spark,
		Chart: sampleChart("Nov 18", "Nov 19", "Nov 20"), Rows: []issueRow{row},
		Pager: pager{Shown: "25 of 1,204", State: "events come in", First: "#", Older: "#", OlderText: "Older"},
		Empty: emptyList{Title: "Nothing is broken", Lines: []string{"There is no open issue."},
			Links: []frameLink{{Name: "Clear the filters", Path: "#"}}},
		Progress: []step{{"done", "Fix linked", "PR 311 by claude-2", &dated}, {"done", "Deployed", "1.4.2 to production", &dated},
			{"now", "Quiet until", "16:40", nil}, {"back", "Came back", "in 1.4.3, 412 events", &dated}},
		Stack: []stackPart{
			{Name: "TypeError", Value: "Cannot read properties of undefined", Remark: "nothing caught it", Groups: sampleGroups()},
			{Name: "Error", Value: "Request failed", IsCause: true},
		},
		Story: []storyLine{{dated, "claude-2", "wrote", "The price service answers 404."}, {dated, nil, "came back in 1.4.3", nil}},
	}
}

// sampleChart makes a chart with a mark.
func sampleChart(names ...string) bars {
	counts := make([]int64, len(names))
	for i := range counts {
		counts[i] = int64(i * 1000)
	}
	chart := newChart("Events by day", names, counts)
	chart.MarksAre = "deploys"
	chart.mark(len(names)-1, .5, names[0])
	return chart
}

// sampleGroups makes frames of the app and of libraries.
func sampleGroups() []frameGroup {
	mapped := stackFrame{Function: "total", Place: "src/cart.ts:41:23", Sent: "app.min.js:1:52034", IsOpen: true, Source: []sourceLine{
		{40, "for (const line of cart.lines) {", false}, {41, "  sum += line.price.total * line.count;", true}, {42, "}", false},
	}, Vars: []variable{{"cart.currency", `"EUR"`}, {"line", "{count: 2}"}}}
	library := stackFrame{Function: "invoke", Place: "react-dom.js:1"}
	return []frameGroup{
		{Frames: []stackFrame{mapped, {Function: "submit", Place: "shop.min.js:1:90", Problem: "not mapped to its source: no map"}}},
		{IsLibrary: true, Summary: "6 frames of react-dom and scheduler", Left: 5, Frames: []stackFrame{library}},
	}
}

func (v *visit) sampleEmpty() gallerySample {
	return gallerySample{
		Name:            "Empty",
		gallerySettings: settingsEmpty(),
		Select:          chooseFrom("gallery", "Project", ""), Flash: &flash{}, Spark: newSpark(nil),
		Chart: newChart("No events", nil, nil),
		Tabs:  tabs{Label: "Empty"}, Empty: emptyList{Title: "Nothing"}, Pager: pager{Shown: "0 issues"},
		Ago: v.at(core.Time{}), Date: v.at(core.Time{}), Rows: []issueRow{v.makeIssueRow(&core.Issue{})}, Progress: []step{{}},
		Stack: []stackPart{{Groups: []frameGroup{{Frames: []stackFrame{{}}}}}}, Story: []storyLine{{}}, Badges: []badge{{}},
	}
}

func (v *visit) sampleHostile() gallerySample {
	at := v.at(core.At(v.now))
	text := core.Untrusted(hostile)
	row := v.makeIssueRow(&core.Issue{
		ID: 1, Project: strings.Repeat("p", 100), Type: text, Title: text + ": " + text, Culprit: text, Level: hostile, Status: core.Regressed,
		LastRelease: text, TimesSeen: 1 << 52, UsersAffected: 1000, Claim: &core.Claim{Holder: hostile, ExpiresAt: core.At(v.now)},
		Triage: core.Triage{Category: core.Category(hostile)},
	})
	return gallerySample{
		Name: "Hostile", gallerySettings: v.settingsHostile(),
		Badges: []badge{{kindBad, text}}, Tabs: tabs{"Hostile", []tab{{hostile[:100], "#", 1 << 52, true, true, true}}},
		Select: chooseFrom("gallery", "Project", hostile, option{Value: "x", Text: text}), Flash: &flash{Kind: kindBad, Text: hostile},
		Ago: at, Date: at, Copy: hostile, Spark: newSpark([]int64{1 << 52, 0, 1}), Chart: sampleChart(hostile[:60], "a", "b"),
		Rows: []issueRow{row}, Pager: pager{Shown: hostile[:100], State: hostile[:100], Older: "#", OlderText: "Older"},
		Empty: emptyList{Title: hostile, Lines: []string{hostile}}, Progress: []step{{"now", hostile, text, &at}},
		Stack: []stackPart{{Name: text, Value: text, Remark: hostile[:100], Groups: []frameGroup{
			{Frames: []stackFrame{{text, text, text, text, true, []sourceLine{{1 << 52, text, true}}, []variable{{text, text}}}}},
			{IsLibrary: true, Summary: text, Frames: []stackFrame{{Function: text, Place: text}}},
		}}}, Story: []storyLine{{at, text, text, text}},
	}
}
