package web

import (
	"cmp"
	"strconv"
	"strings"

	"errand/core"
)

// shownCrumbs is how many breadcrumbs stand there unfolded: the last ones.
const shownCrumbs = 20

// crumbsPart is what happened before an event, oldest first.
type crumbsPart struct{ Earlier, Rows []crumb }

// crumb is a breadcrumb.
type crumb struct {
	At     moment
	Kind   core.Untrusted
	Text   string
	Badges []badge // the level, the status of an answer
}

// makeCrumbs makes the breadcrumbs of an event; nil when it has none.
func (v *visit) makeCrumbs(event *core.Event, all bool) *crumbsPart {
	if len(event.Breadcrumbs) == 0 {
		return nil
	}
	most := maxValue
	if all {
		most = allOfValue
	}
	part := &crumbsPart{}
	for i := range event.Breadcrumbs {
		row := v.makeCrumb(&event.Breadcrumbs[i], most)
		if i < len(event.Breadcrumbs)-shownCrumbs {
			part.Earlier = append(part.Earlier, row)
		} else {
			part.Rows = append(part.Rows, row)
		}
	}
	return part
}

// makeCrumb makes the row of a breadcrumb. A request that the app made has its method, address and status by themselves.
func (v *visit) makeCrumb(c *core.Breadcrumb, most int) crumb {
	row := crumb{At: v.at(c.Timestamp), Kind: cutName(cmp.Or(c.Category, c.Type))}
	switch c.Level {
	case "error", "fatal":
		row.Badges = append(row.Badges, badge{kindBad, c.Level})
	case "warning":
		row.Badges = append(row.Badges, badge{kindWarn, c.Level})
	}
	words := []string{string(c.Message)}
	address := c.Data.Get("url")
	if from, to := c.Data.Get("from"), c.Data.Get("to"); c.Message == "" && to.Kind == core.String {
		words = append(words, strings.TrimSpace(from.Text+" → "+to.Text))
	} else if c.Message == "" && address.Kind == core.String {
		words = append(words, c.Data.Get("method").Text, address.Text)
		if status := cmp.Or(c.Data.Get("status_code").Text, c.Data.Get("status").Text); status != "" {
			row.Badges = append(row.Badges, badge{kindOfStatus(status), cutText(status, maxName)})
		}
	} else if !c.Data.IsEmpty() {
		words = append(words, writeJSON(c.Data, most))
	}
	row.Text = cutText(strings.TrimSpace(strings.Join(words, " ")), most)
	return row
}

// kindOfStatus is the kind of the badge of an HTTP status.
func kindOfStatus(status string) string {
	const firstServerError, firstError = 500, 400
	switch n, _ := strconv.Atoi(status); {
	case n >= firstServerError:
		return kindBad
	case n >= firstError:
		return kindWarn
	}
	return ""
}
