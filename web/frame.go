package web

import (
	"strings"

	"errand/core"
)

// frame is the top bar and the messages around the page of a signed-in person.
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
	Number     int64  // of things that wait there; 0 for none
	IsHere     bool
}

// framePages are the links of the top bar, with the right that a person needs to see each page.
var framePages = []struct {
	frameLink
	below string // pages at and below this path belong to the link
	right core.Right
}{
	{frameLink{Name: "Issues", Path: issuesPath, Key: "i"}, "/issues", core.ReadRight},
	{frameLink{Name: "Agents", Path: agentsPath, Key: "n"}, agentsPath, core.ReadRight},
	{frameLink{Name: "Approvals", Path: approvalsPath, Key: "p"}, approvalsPath, core.ManageRight},
	{frameLink{Name: "Releases", Path: releasesPath, Key: "r"}, releasesPath, core.ReadRight},
	{frameLink{Name: "Projects", Path: projectsPath, Key: "o"}, projectsPath, core.ReadRight},
	{frameLink{Name: "Settings", Path: settingsPath, Key: "s"}, settingsPath, core.ReadRight},
}

// newFrame makes the frame of a page.
func (v *visit) newFrame() *frame {
	name, _, _ := strings.Cut(v.actor.Name, "@")
	f := &frame{
		Search: v.r.URL.Query().Get("search"), Person: name, Email: v.actor.Name, Keys: v.prefers.SingleKeys, Zone: string(v.prefers.Zone),
	}
	path := v.r.URL.Path
	for _, page := range framePages {
		if !v.actor.Rights.HaveSomewhere(page.right) {
			continue
		}
		link := page.frameLink
		link.IsHere = path == page.Path || path == page.below || strings.HasPrefix(path, page.below+"/")
		if link.Path == approvalsPath {
			link.Number = v.countApprovals()
		}
		f.Links = append(f.Links, link)
	}
	return f
}
