package web

import (
	"strings"

	"errand/core"
)

// frame is what stands around the page of who is signed in.
type frame struct {
	Links  []frameLink
	Search string // what was searched for
	Person string // as the bar names the person
	Email  string
	Keys   bool // single keys act
	Zone   string
	Flash  *flash
}

// frameLink is a link of the top bar.
type frameLink struct {
	Name, Path string
	Key        string // that goes there, after g
	Number     int64  // of what waits there; 0 for nothing
	IsHere     bool
}

// The pages that the bar leads to, with what a person needs to see them. Only a page that is there has a line.
var framePages = []struct {
	frameLink
	below string // the path of which all pages belong to it
	right core.Right
}{
	{frameLink{Name: "Issues", Path: issuesPath, Key: "i"}, "/issues", core.ReadRight},
}

// newFrame makes the frame of a page.
func (v *visit) newFrame() *frame {
	name, _, _ := strings.Cut(v.actor.Name, "@")
	f := &frame{
		Search: v.r.URL.Query().Get("search"), Person: name, Email: v.actor.Name, Keys: !v.prefers.WithoutKeys, Zone: v.prefers.Zone,
	}
	path := v.r.URL.Path
	for _, page := range framePages {
		if !v.actor.Rights.HaveSomewhere(page.right) {
			continue
		}
		link := page.frameLink
		link.IsHere = path == page.Path || path == page.below || strings.HasPrefix(path, page.below+"/")
		f.Links = append(f.Links, link)
	}
	return f
}
