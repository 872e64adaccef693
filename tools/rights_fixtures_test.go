package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// foreign is the project of team B. The project shop belongs to team A.
const foreign = 2_000_000_002

// The texts that mark everything in a project, so that a leak shows.
const (
	ownMark     = "quagga"
	foreignMark = "zanzibar"
)

// unknownID and the ids after it belong to nothing.
const unknownID = 8_000_000_008

// openTeams makes a fixture with the projects of two teams and people of each kind. All ids there are unique, and so
// large that no count resembles them.
func openTeams(t *testing.T) (*fixture, map[string]core.Actor) {
	t.Helper()
	h := openEmpty(t)
	for i, series := range []string{"activity", "deliveries", "releases", "deploys", "fixes", "approvals", "tokens", "webhooks", "events",
		"issues", "source_maps"} {
		h.changeRows(`INSERT INTO id_blocks (name, next_id) VALUES ($1, $2)`, series, 1_234_567+(i+2)*10_000_000)
	}
	for id, mark := range map[int64]string{shop: ownMark, foreign: foreignMark} {
		storetest.MakeProject(t, h.store, id, "The "+mark)
		h.changeRows(`UPDATE projects SET repository = $2 WHERE id = $1`, id, mark+"/app")
	}
	return h, makePeople(t, h.store)
}

// makePeople makes a person for each role in a team that has the project shop, and others.
func makePeople(t *testing.T, s *store.Store) map[string]core.Actor {
	t.Helper()
	people := map[string]core.Actor{}
	for name, assigned := range map[string][]int64{"viewer": {shop}, "member": {shop}, "developer": {shop}, "admin": {shop}, "owner": {shop},
		"owner of a team without projects": {}} {
		id := storetest.MakeUser(t, s, name+"@example.org")
		role := core.TeamRole(name)
		if len(assigned) == 0 {
			role = core.RoleOwner
		}
		storetest.AssignProjects(t, s, id, role, assigned...)
		people[name] = storetest.FindUserActor(t, s, id)
	}
	people["in no team"] = storetest.FindUserActor(t, s, storetest.MakeUser(t, s, "nobody@example.org"))
	id := storetest.MakeUser(t, s, "site@example.org")
	storetest.ChangeRows(t, s, `UPDATE users SET site_admin = true WHERE id = $1`, id)
	people["site admin"] = storetest.FindUserActor(t, s, id)
	return people
}

// part is the contents of one project, which calls are about. They are made when a call needs them. A part of no
// project has only ids that do not exist.
type part struct {
	h       *fixture
	project int64 // 0: no project
	mark    string
	names   *[]string // the things made, as calls name them
}

func (h *fixture) ownPart() part     { return part{h, shop, ownMark, &[]string{}} }
func (h *fixture) foreignPart() part { return part{h, foreign, foreignMark, &[]string{}} }
func (h *fixture) unknownPart() part { return part{h, 0, "nowhere", &[]string{}} }

// give returns the id of a new thing in the part, or an unknown id.
func (p part) give(create func() int64) int64 {
	id := int64(unknownID + len(*p.names))
	if p.project != 0 {
		id = create()
	}
	*p.names = append(*p.names, fmt.Sprint(id))
	return id
}

func (p part) slug() string {
	slug := "the-" + p.mark
	*p.names = append(*p.names, slug, p.mark)
	return slug
}

// addEvent adds an event to a group: the first one makes an issue.
func (p part) addEvent(group string) intake.Added {
	p.h.events++
	e := p.h.newEvent(group, p.h.events)
	e.ProjectID, e.Title, e.Culprit = p.project, p.mark+" failed in "+group, p.mark+" in pay"
	e.Release, e.Environment = p.mark+"-1", p.mark
	return p.h.addEvents(comparableEvent(e))
}

func (p part) newGroup() string {
	p.h.events++
	return fmt.Sprint(p.mark, " group ", p.h.events)
}

func (p part) issue() int64 { return p.give(func() int64 { return p.addEvent(p.newGroup()).IssueID }) }

// mergedIssue returns an issue that was merged into another one.
func (p part) mergedIssue() int64 {
	return p.give(func() int64 {
		source := p.issue()
		storetest.MergeIssues(p.h, p.h.store, p.issue(), source)
		return source
	})
}

// issueAndEvent returns an issue with two events, and one of the events.
func (p part) issueAndEvent() (issue, event int64) {
	group := p.newGroup()
	issue = p.give(func() int64 { return p.addEvent(group).IssueID })
	return issue, p.give(func() int64 {
		p.addEvent(group)
		id, _ := storetest.QuerySQL(p.h.Context(), p.h.store, `SELECT max(id) FROM events WHERE issue_id = $1`, issue)
		defer id.Close()
		require.True(p.h, id.Next())
		values, err := id.Values()
		require.NoError(p.h, err)
		return values[0].(int64)
	})
}

func (p part) webhook() int64 {
	return p.give(func() int64 {
		id := storetest.MakeWebhook(p.h, p.h.store, store.NewWebhook{ProjectID: p.project, URL: "https://" + p.mark + ".example.com"})
		p.h.changeRows(`UPDATE webhooks SET name = $2 WHERE id = $1`, id, p.mark)
		return id
	})
}

func (p part) delivery(webhook int64) int64 {
	return p.give(func() int64 {
		id, err := p.h.store.AddPing(p.h.Context(), webhook)
		require.NoError(p.h, err)
		p.h.changeRows(`UPDATE deliveries SET status = 'failed', last_error = $2 WHERE id = $1`, id, p.mark)
		return id
	})
}

func (p part) approval() int64 {
	return p.give(func() int64 {
		outcome, err := p.h.store.RequestApproval(p.h.Context(), newAgent(5), store.IgnoreIssue{ID: p.issue()})
		require.NoError(p.h, err)
		return outcome.ApprovalID
	})
}

// byAdmin makes a thing with the admin token, and returns its id.
func (p part) byAdmin(op *core.Operation, args string, values ...any) int64 {
	return p.give(func() int64 {
		return int64(p.h.callData(core.NewBootstrapActor(), op, fmt.Sprintf(args, values...))["id"].(float64))
	})
}

func (p part) sourceMap() int64 {
	return p.byAdmin(core.UploadSourceMap.Operation, `{"project": %q, "release": %q, "name": "~/%[2]s-%[3]d.js"}`,
		p.slug(), p.mark, p.h.events)
}

func (p part) token() int64 {
	return p.byAdmin(core.CreateToken.Operation, `{"name": %q, "scopes": ["issues:read"]}`, p.mark)
}

func (p part) person() int64 {
	p.h.events++
	return p.byAdmin(core.InvitePerson.Operation, `{"email_address": "somebody-%d@example.org"}`, p.h.events)
}

func (p part) apiKey() int64 {
	return p.byAdmin(core.CreateAPIKey.Operation, `{"name": %q, "permissions": ["apps:read"]}`, p.mark)
}

func (p part) setupKey() int64 { return p.byAdmin(core.CreateSetupKey.Operation, `{}`) }

func (p part) key() string {
	key := "00000000000000000000000000000000"
	if p.project != 0 {
		key = p.h.callData(core.NewBootstrapActor(), core.CreateProjectKey.Operation,
			fmt.Sprintf(`{"project": %q}`, p.slug()))["public_key"].(string)
	}
	*p.names = append(*p.names, key)
	return key
}

// release returns the name of a deployed release that brought the fix of an issue.
func (p part) release() string {
	version := p.mark + "-2"
	if p.project != 0 {
		p.h.events++
		commit := fmt.Sprintf("%040x", p.h.events)
		p.h.mustCall(core.NewBootstrapActor(), core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, p.issue(), commit))
		p.h.mustCall(core.NewBootstrapActor(), core.CreateDeploy.Operation, fmt.Sprintf(`{"project": %q, "commit": %q, "release": %q}`,
			p.slug(), commit, version))
	}
	*p.names = append(*p.names, version)
	return version
}
