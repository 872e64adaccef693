package core

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestActorHas(t *testing.T) {
	t.Parallel()
	token := func(scopes ...Scope) Actor { return Actor{Type: ActorToken, ID: 1, Scopes: scopes} }
	for name, c := range map[string]struct {
		actor    Actor
		has, not []Scope
	}{
		"one scope":  {token(IssuesRead), []Scope{IssuesRead, AnyToken}, []Scope{IssuesWrite, ReleasesWrite, Admin, NoToken}},
		"two scopes": {token(IssuesWrite, ReleasesWrite), []Scope{IssuesWrite, ReleasesWrite, AnyToken}, []Scope{IssuesRead, Admin}},
		"admin":      {token(Admin), []Scope{IssuesRead, IssuesWrite, ReleasesWrite, Admin, AnyToken}, nil},
		"bootstrap":  {NewBootstrapActor(), []Scope{IssuesRead, IssuesWrite, ReleasesWrite, Admin, AnyToken}, nil},
		"no scopes":  {token(), []Scope{AnyToken}, []Scope{IssuesRead, Admin, NoToken}},
		"nobody":     {Actor{}, nil, []Scope{IssuesRead, IssuesWrite, ReleasesWrite, Admin, AnyToken, NoToken, ""}},
		"impostor":   {Actor{Scopes: List[Scope]{Admin}}, nil, []Scope{IssuesRead, AnyToken}},
	} {
		for _, s := range c.has {
			require.True(t, c.actor.Has(s), "%s has %s", name, s)
		}
		for _, s := range c.not {
			require.False(t, c.actor.Has(s), "%s has not %s", name, s)
		}
	}
}

// Tokens hold claims by their ids: two tokens of the same name are two holders.
func TestActorSame(t *testing.T) {
	t.Parallel()
	one := Actor{Type: ActorToken, ID: 1, Name: "fixer", Scopes: List[Scope]{IssuesWrite}}
	later := Actor{Type: ActorToken, ID: 1, Name: "fixer", Prefix: "ck_1234567", ProjectID: 5}
	namesake := Actor{Type: ActorToken, ID: 2, Name: "fixer"}
	require.True(t, one.IsSame(later))
	require.False(t, one.IsSame(namesake))
	require.True(t, NewBootstrapActor().IsSame(NewBootstrapActor()))
	require.False(t, NewBootstrapActor().IsSame(one))
	require.False(t, NewBootstrapActor().IsSame(Actor{Type: ActorToken, Name: "ADMIN_TOKEN"}), "a token of that name is not the bootstrap")
	require.True(t, NewSystemActor("ingest").IsSame(NewSystemActor("ingest")))
	require.False(t, NewSystemActor("ingest").IsSame(NewSystemActor("verifier")))
}

func TestActorCheckProject(t *testing.T) {
	t.Parallel()
	require.NoError(t, Actor{Type: ActorToken}.CheckProject(7), "a token for all apps")
	require.NoError(t, Actor{Type: ActorToken, ProjectID: 7}.CheckProject(7))
	require.NoError(t, NewBootstrapActor().CheckProject(7))

	err := Actor{Type: ActorToken, ProjectID: 8, Scopes: List[Scope]{Admin}}.CheckProject(7)
	body, marshalErr := json.Marshal(AsError(err))
	require.NoError(t, marshalErr)
	require.JSONEq(t, `{"error":"forbidden_project","reason":"this token is for another app"}`, string(body))
}
