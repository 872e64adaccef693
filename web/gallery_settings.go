package web

import (
	"time"

	"errand/core"
)

// gallerySettings is the content of the components of agents, approvals and settings.
type gallerySettings struct {
	Figures     []figure
	Fixes       []fixRow
	Request     approvalRow
	Irrevocable irrevocable
	Made        madeSecret
}

func (v *visit) settingsOrdinary() gallerySettings {
	ago := v.at(core.At(v.now.Add(-3 * time.Hour)))
	return gallerySettings{
		Figures: []figure{{"12", "fixes linked"}, {"9", "verified"}, {"1", "came back"}, {"3.5 h", "from link to verified"}},
		Fixes: []fixRow{{"#", "TypeError: Cannot read properties of undefined", "claude-2", "no deploy names its commit", ago},
			{"#", "no stock of the article", "PR 311 by claude-2", "quiet until 16:40", ago}},
		Request: approvalRow{
			Path: galleryPath, Verb: "Merge 2 issues into", Thing: "no stock of the article", Issue: "#", By: "claude-2", At: ago,
			Ends: "ends in 6 days", Effect: []string{"412 events and 31 users move to it.", "It can be undone only event by event."},
		},
		Irrevocable: irrevocable{
			Back: galleryPath, Path: galleryPath, Code: "~/app.js", Says: []string{"Whoever uses it is refused at once.", "It cannot be undone."},
			Button: "Revoke the token", Keep: "Keep the token",
		},
		Made: madeSecret{"The token is made", "It is shown now and never again.", "ck_0000000000000000"},
	}
}

// settingsEmpty has only the names that each page gives: without them headings and buttons say nothing.
func settingsEmpty() gallerySettings {
	return gallerySettings{
		Request:     approvalRow{Path: galleryPath, Verb: "Delete"},
		Irrevocable: irrevocable{Path: galleryPath, Back: "#", Button: "Delete", Keep: "Keep it"},
		Made:        madeSecret{Title: "It is made"},
	}
}

func (v *visit) settingsHostile() gallerySettings {
	at, text := v.at(core.At(v.now)), core.Untrusted(hostile)
	return gallerySettings{
		Figures: []figure{{hostile[:60], hostile}},
		Fixes:   []fixRow{{"#", text, text, text, at}},
		Request: approvalRow{
			Path: galleryPath, Verb: "Delete the project", Thing: text, By: hostile, At: at, Ends: "ends in 1 minute", Effect: []string{hostile},
			IsOwn: true,
		},
		Irrevocable: irrevocable{
			Back: galleryPath, Path: galleryPath, Code: hostile, Says: []string{hostile}, Field: &keptField{"id", hostile}, Button: "Delete",
			Keep: "Keep it",
		},
		Made: madeSecret{hostile, hostile, hostile},
	}
}
