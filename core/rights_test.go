package core

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/testkit/golden"
)

// personWith makes a person with roles in projects.
func personWith(roles map[int64]TeamRole) Actor {
	rights := Rights{}
	for project, role := range roles {
		rights.AddRole(project, role)
	}
	return NewUserActor(7, "ann@example.org", rights)
}

var siteAdmin = NewUserActor(8, "site@example.org", Rights{IsSiteAdmin: true})

func TestEveryOperationHasARight(t *testing.T) {
	t.Parallel()
	for _, op := range V1.Operations() {
		_, isListed := rightsOfPeople[op]
		isDerived := op.Scope == IssuesRead || op.Scope == IssuesWrite
		require.True(t, isListed || isDerived || op.ServedBy != "", "%s: say in rightsOfPeople what it needs of a person", op.Name)
		require.False(t, isListed && isDerived, "%s needs what its scope says: leave it out of rightsOfPeople", op.Name)
		require.GreaterOrEqual(t, op.Right().rank(), 0, op.Name)
	}
	require.Equal(t, SiteRight, (&Operation{Scope: ReleasesWrite}).Right(), "what has no rule")
}

func TestHighestRoleOfAPersonCounts(t *testing.T) {
	t.Parallel()
	rights := Rights{}
	for _, role := range []TeamRole{RoleViewer, RoleOwner, RoleMember, "emperor", ""} {
		rights.AddRole(1, role)
	}
	rights.AddRole(2, "emperor")
	require.Equal(t, map[int64]Right{1: ManageRight}, rights.projects)
	require.Equal(t, List[Scope]{IssuesRead, IssuesWrite}, NewUserActor(7, "a", rights).Scopes)
	require.Equal(t, List[Scope]{IssuesRead}, personWith(map[int64]TeamRole{1: RoleViewer}).Scopes)
	require.Equal(t, List[Scope]{Admin}, siteAdmin.Scopes)
	require.True(t, siteAdmin.IsAdminOf(9))
	person := NewUserActor(7, "a", rights)
	require.True(t, person.IsAdminOf(1))
	require.False(t, person.IsAdminOf(2))
	require.False(t, NewUserActor(7, "a", Rights{}).IsAdminOf(0))
}

func TestAPersonIsTheSameUnderAnotherName(t *testing.T) {
	t.Parallel()
	ann, renamed := personWith(nil), personWith(nil)
	renamed.Name = "ann@example.com"
	require.True(t, ann.IsSame(renamed))
	require.False(t, ann.IsSame(siteAdmin))
	require.False(t, ann.IsSame(Actor{Type: ActorToken, ID: ann.ID, Name: ann.Name}))
	require.False(t, NewSystemActor("scm").IsSame(NewSystemActor("verifier")))
}

// reachOf returns the reach that the registry puts into a call's context.
func reachOf(t *testing.T, actor Actor) (context.Context, *Reach) {
	t.Helper()
	var inside context.Context
	type projects = Data[List[ListedProject]]
	registry, _ := registryWith(t, BindHandler(ListProjects, func(ctx context.Context, _ Call, _ ListProjectsInput) (projects, error) {
		inside = ctx
		return projects{}, nil
	}))
	_, failure := registry.Call(t.Context(), ListProjects.Operation, Call{Actor: actor}, nil)
	require.Nil(t, failure)
	return inside, ReachOf(inside)
}

func TestRegistryLimitsTheCallsOfPeople(t *testing.T) {
	t.Parallel()
	for _, actor := range []Actor{NewBootstrapActor(), siteAdmin, {Type: ActorToken, ID: 7, Name: "agent", Scopes: List[Scope]{IssuesRead}}} {
		ctx, reach := reachOf(t, actor)
		require.Nil(t, reach)
		require.Nil(t, reach.Projects(), "nil is everything")
		require.Nil(t, reach.Visible())
		require.Empty(t, reach.Key())
		require.NoError(t, CheckReach(ctx, 5))
		require.NoError(t, CheckSiteReach(ctx))
	}

	ctx, reach := reachOf(t, personWith(map[int64]TeamRole{3: RoleViewer, 2: RoleOwner}))
	require.Equal(t, []int64{2, 3}, reach.Projects())
	require.NoError(t, CheckReach(ctx, 3))
	for _, other := range []int64{0, 1, 4} {
		require.True(t, HasCode(CheckReach(ctx, other), NotFound))
	}
	requireBody(t, `{"error": "forbidden", "required_role": "site_admin"}`, AsError(CheckSiteReach(ctx)))

	ctx, reach = reachOf(t, Actor{Type: ActorUser, ID: 7})
	require.NotNil(t, reach.Projects(), "nobody's is nothing")
	require.Empty(t, reach.Projects())
	require.Equal(t, "[]", reach.Key())
	require.True(t, HasCode(CheckReach(ctx, 1), NotFound))
}

func TestReachGoesByTheOperation(t *testing.T) {
	t.Parallel()
	person := personWith(map[int64]TeamRole{1: RoleViewer, 2: RoleMember, 3: RoleAdmin})
	for op, want := range map[*Operation][]int64{
		GetIssue.Operation: {1, 2, 3}, ClaimIssue.Operation: {2, 3}, ListWebhooks.Operation: {3}, CreateProject.Operation: {},
	} {
		ctx := WithReach(t.Context(), op, person)
		reach := ReachOf(ctx)
		require.Equal(t, want, reach.Projects(), op.Name)
		require.Equal(t, []int64{1, 2, 3}, reach.Visible(), op.Name)
	}
	claiming := WithReach(t.Context(), ClaimIssue.Operation, person)
	requireBody(t, `{"error": "forbidden", "required_role": "member"}`, AsError(CheckReach(claiming, 1)))
	requireBody(t, `{"error": "forbidden", "required_role": "site_admin"}`, AsError(CreateProject.Operation.AuthorizeActor(person)))
	require.NoError(t, ClaimIssue.Operation.AuthorizeActor(person))
	require.NoError(t, GetIssue.Operation.AuthorizeActor(personWith(nil)))
	require.Error(t, ClaimIssue.Operation.AuthorizeActor(personWith(map[int64]TeamRole{1: RoleViewer})))
}

// The table of the rights in the documentation is written by make golden.
func TestDocumentationHasTheRightsOfPeople(t *testing.T) {
	t.Parallel()
	const path = "../docs/people-rights.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	table := regexp.MustCompile(`(?s)\| lowest role \| operations \|\n.*?\n\n`)
	require.True(t, table.Match(text))

	var b strings.Builder
	b.WriteString("| lowest role | operations |\n|---|---|\n")
	for _, r := range ascendingRights {
		var names []string
		for _, op := range V1.Operations() {
			if op.ServedBy == "" && op.Right() == r.right {
				names = append(names, "`"+op.Name+"`")
			}
		}
		role := map[Right]string{NoRight: "none", SiteRight: "site admin"}[r.right]
		if role == "" {
			role = "`" + string(r.role) + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", role, strings.Join(names, ", "))
	}
	golden.CheckFile(t, path, table.ReplaceAllLiteralString(string(text), b.String()+"\n"))
}
