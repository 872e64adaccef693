package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// The timeline, labels and requests name a person by the type user, the id and the e-mail address.
func TestWhatPeopleDoIsRecorded(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	storetest.SaveSettings(t, h.store, map[string]string{"REQUIRE_APPROVAL": "ignore"})
	issue, member := h.ownPart().issue(), people["member"]
	h.mustCall(member, core.ResolveIssue.Operation, idArgs(issue))
	h.mustCall(member, core.UnresolveIssue.Operation, idArgs(issue))
	held := h.mustCall(member, core.IgnoreIssue.Operation, idArgs(issue))
	require.Contains(t, held, "approval_required", "people are held as tokens are")

	var rows struct {
		Data []struct {
			ActorType string `json:"actor_type"`
			ActorID   int64  `json:"actor_id"`
			ActorName string `json:"actor_name"`
			Action    string
		}
	}
	decodeInto(t, h.mustCall(people["viewer"], core.ListIssueActivity.Operation, idArgs(issue)), &rows)
	require.Len(t, rows.Data, 3)
	for _, row := range rows.Data {
		require.Equal(t, "user", row.ActorType)
		require.EqualValues(t, member.ID, row.ActorID)
		require.Equal(t, "member@example.org", row.ActorName)
	}
	require.Contains(t, h.mustCall(people["viewer"], core.ListLabels.Operation, `{}`), `"actor_type":"user","actor_name":"member@example.org"`)
	require.Contains(t, h.mustCall(people["admin"], core.ListApprovals.Operation, `{}`), `"requested_by":"member@example.org"`)
	require.Equal(t, "user", h.callData(member, core.Whoami.Operation, `{}`)["type"])

	project := h.callData(people["site admin"], core.CreateProject.Operation, `{"name": "New"}`)
	require.Equal(t, []int64{int64(people["site admin"].ID)},
		storetest.ReadColumn[int64](t, h.store, `SELECT created_by_user FROM projects WHERE id = $1`, int64(project["id"].(float64))))
}

// TestPeopleDecideApprovals lets a person decide about others' requests, but never about their own, even under another address.
func TestPeopleDecideApprovals(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	storetest.SaveSettings(t, h.store, map[string]string{"REQUIRE_APPROVAL": "ignore,delete_project"})
	request := func(who core.Actor, op *core.Operation, args string) string {
		held := object{}
		decodeInto(t, h.mustCall(who, op, args), &held)
		return idArgs(int64(held["approval_id"].(float64)))
	}
	own := object{"error": "forbidden", "reason": "the request is your own: another admin must decide it"}
	approve, reject := core.ApproveRequest.Operation, core.RejectRequest.Operation

	ofAdmin := request(people["admin"], core.IgnoreIssue.Operation, idArgs(h.ownPart().issue()))
	h.sameJSON(own, h.mustFail(people["admin"], approve, ofAdmin))
	h.changeRows(`UPDATE users SET email_address = 'renamed@example.org' WHERE id = $1`, int64(people["admin"].ID))
	renamed := storetest.FindUserActor(t, h.store, int64(people["admin"].ID))
	require.Equal(t, "renamed@example.org", renamed.Name)
	h.sameJSON(own, h.mustFail(renamed, approve, ofAdmin))
	h.sameJSON(own, h.mustFail(renamed, reject, ofAdmin))
	h.sameJSON(object{"error": "forbidden", "required_role": "admin"}, h.mustFail(people["developer"], approve, ofAdmin))
	h.mustCall(people["owner"], approve, ofAdmin)

	ofToken := request(writer, core.IgnoreIssue.Operation, idArgs(h.ownPart().issue()))
	h.mustCall(renamed, reject, ofToken)

	// People may decide only about actions that they may do themselves.
	deletion := request(core.NewBootstrapActor(), core.DeleteProject.Operation, `{"project": "the-quagga"}`)
	for _, op := range []*core.Operation{approve, reject} {
		h.sameJSON(object{"error": "forbidden", "required_role": "site_admin"}, h.mustFail(people["owner"], op, deletion))
	}
	ofSite := request(people["site admin"], core.DeleteProject.Operation, `{"project": "the-zanzibar"}`)
	h.sameJSON(own, h.mustFail(people["site admin"], approve, ofSite))
	h.mustCall(people["site admin"], approve, deletion)
	h.mustCall(core.NewBootstrapActor(), approve, ofSite)
}

// A person holds claims like a token, although a token may have the same id.
func TestPeopleClaim(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	issue, member := idArgs(h.ownPart().issue()), people["member"]
	h.changeRows(`INSERT INTO tokens (id, name, hash, prefix, scopes, created_at, created_by, revoked_at)
VALUES ($1, 'member@example.org', '', '', '{issues:write}', $2, 'admin', $2)`, int64(member.ID), h.now)
	h.mustCall(member, core.ClaimIssue.Operation, issue)
	require.Equal(t, true, h.callData(member, core.ClaimIssue.Operation, issue)["renewed"])

	twin := newAgent(int(member.ID)+1, core.IssuesWrite)
	twin.ID, twin.Name = people["developer"].ID, people["developer"].Name
	for _, other := range []core.Actor{people["developer"], twin} {
		_, failure := h.callOperation(other, core.ClaimIssue.Operation, issue)
		require.True(t, core.HasCode(failure, core.Claimed), "%v", failure)
		_, failure = h.callOperation(other, core.ReleaseIssue.Operation, issue)
		require.True(t, core.HasCode(failure, core.NotClaimHolder), "%v", failure)
	}
	h.mustCall(people["admin"], core.ReleaseIssue.Operation, issue) // who manages the project may release its issues
	h.mustCall(twin, core.ClaimIssue.Operation, issue)
	_, failure := h.callOperation(people["developer"], core.ReleaseIssue.Operation, issue)
	require.True(t, core.HasCode(failure, core.NotClaimHolder), "%v", failure)
}

// A right that is taken away is gone with the next call, which reads the rights again.
func TestFindUserActor(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	id := int64(people["viewer"].ID)
	actor, generation, err := h.tools.FindUserActor(t.Context(), id)
	require.NoError(t, err)
	require.Zero(t, generation)
	require.Equal(t, people["viewer"], actor)
	h.changeRows(`DELETE FROM team_members WHERE user_id = $1`, id)
	h.sameJSON(object{"data": []any{}}, h.mustCall(storetest.FindUserActor(t, h.store, id), core.ListProjects.Operation, `{}`))
	h.changeRows(`UPDATE users SET disabled_at = $2 WHERE id = $1`, id, h.now)
	_, _, err = h.tools.FindUserActor(t.Context(), id)
	requireUnauthorized(t, err)
	_, _, err = h.tools.FindUserActor(t.Context(), unknownID)
	requireUnauthorized(t, err)
}

// A deleted project does not exist for its team either.
func TestDeletedProjectsOfTeams(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	h.ownPart().fill()
	require.NoError(t, storetest.DeleteProject(t.Context(), h.store, core.NewBootstrapActor(), shop))
	owner := storetest.FindUserActor(t, h.store, int64(people["owner"].ID))
	for _, op := range []*core.Operation{core.ListActivity.Operation, core.ListIssues.Operation, core.ListReleases.Operation} {
		require.Contains(t, h.mustCall(owner, op, `{}`), `"data":[]`, op.Name)
	}
}
