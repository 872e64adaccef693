package tools_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

func TestCreateToken(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	const all = `["issues:read", "issues:write", "releases:write", "admin"]`
	var listed []any
	for n, test := range []struct {
		args    string
		changes object
	}{
		{`{"name": "fixer", "scopes": ["issues:read"]}`, object{"name": "fixer", "scopes": []string{"issues:read"}}},
		{`{"name": "all", "scopes": ` + all + `}`,
			object{"name": "all", "scopes": []string{"issues:read", "issues:write", "releases:write", "admin"}}},
		{`{"name": "ci", "scopes": ["releases:write"], "project": "shop"}`,
			object{"name": "ci", "scopes": []string{"releases:write"}, "project_id": shop, "project_name": "Shop"}},
		{`{"name": "ci", "scopes": "releases:write", "project": 1000000001}`,
			object{"name": "ci", "scopes": []string{"releases:write"}, "project_id": shop, "project_name": "Shop"}},
	} {
		got := h.callData(core.NewBootstrapActor(), core.CreateToken.Operation, test.args)
		value := got["token"].(string)
		require.Regexp(t, `^ck_[A-Za-z0-9]{43}$`, value)
		want := withChanges(object{
			"id": n + 1, "prefix": value[:10], "created_at": noonText, "created_by": "ADMIN_TOKEN", "last_used_at": nil, "revoked_at": nil,
			"project_id": nil, "project_name": nil, "only_project": false,
		}, test.changes)
		listed = append([]any{want}, listed...)
		h.sameJSON(withChanges(want, object{"token": value}), mustJSON(t, got))
		h.storesOnlyTheHash(value)
	}
	h.sameJSON(object{"data": listed}, h.mustCall(core.NewBootstrapActor(), core.ListTokens.Operation, `{}`))
}

// storesOnlyTheHash looks for a token's value in the database.
func (h *fixture) storesOnlyTheHash(value string) {
	h.Helper()
	hash := sha256.Sum256([]byte(value))
	rows, err := storetest.QuerySQL(h.Context(), h.store, `SELECT t::text || encode(hash, 'escape') FROM tokens t WHERE hash = $1
		UNION ALL SELECT a::text FROM activity a`, hash[:])
	require.NoError(h, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(h, err)
	require.Greater(h, len(texts), 1)
	require.NotContains(h, strings.Join(texts, "\n"), value[10:])
	require.NotContains(h, h.log.String(), value)
}

func TestTokensDiffer(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	seen := map[any]bool{}
	var letters strings.Builder
	for range 40 {
		token := h.callData(core.NewBootstrapActor(), core.CreateToken.Operation, `{"name": "fixer", "scopes": ["admin"]}`)["token"].(string)
		require.False(t, seen[token])
		seen[token] = true
		letters.WriteString(token[len("ck_"):])
	}
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" { // each is missing with a probability of e^-28
		require.Contains(t, letters.String(), string(c))
	}
}

func TestCreateTokenRefuses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.CreateToken.Operation
	for args, field := range map[string]string{
		`{"scopes": ["admin"]}`:                                                    "name",
		`{"name": "a"}`:                                                            "scopes",
		`{"name": "a", "scopes": []}`:                                              "scopes",
		`{"name": "a", "scopes": ["root"]}`:                                        "scopes.0",
		`{"name": "a", "scopes": ["admin", "admin"]}`:                              "scopes",
		`{"name": "\t", "scopes": ["admin"]}`:                                      "name",
		`{"name": "ADMIN_TOKEN", "scopes": ["admin"]}`:                             "name",
		`{"name": "  Admin_Token ", "scopes": ["issues:read"]}`:                    "name",
		`{"name": "a", "scopes": ["admin"], "token": "ck"}`:                        "token",
		fmt.Sprintf(`{"name": %q, "scopes": ["admin"]}`, strings.Repeat("ü", 101)): "name",
	} {
		h.mustRefuse(op, args, field)
	}
	h.sameJSON(object{"error": "project_not_found"},
		h.mustFail(core.NewBootstrapActor(), op, `{"name": "a", "scopes": ["admin"], "project": "office"}`))
	h.sameJSON(object{"data": []any{}}, h.mustCall(core.NewBootstrapActor(), core.ListTokens.Operation, `{}`))
}

func TestRevokeToken(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	created := h.callData(core.NewBootstrapActor(), core.CreateToken.Operation, `{"name": "fixer", "scopes": ["issues:read"]}`)
	token := core.Secret(created["token"].(string))
	actor, err := h.tools.Authenticate(t.Context(), token)
	require.NoError(t, err)
	h.now = noon.Add(time.Minute)
	require.Empty(t, h.mustCall(core.NewBootstrapActor(), core.RevokeToken.Operation, idArgs(1)))
	_, err = h.tools.Authenticate(t.Context(), token)
	requireUnauthorized(t, err)
	h.sameJSON(object{"error": "not_found"}, h.mustFail(core.NewBootstrapActor(), core.RevokeToken.Operation, idArgs(1)))

	delete(created, "token")
	h.sameJSON(object{"data": []any{withChanges(created, object{"last_used_at": noonText, "revoked_at": "2026-03-14T12:31:00.000Z"})}},
		h.mustCall(core.NewBootstrapActor(), core.ListTokens.Operation, `{}`))
	require.Equal(t, "fixer", actor.Name)
}

func TestWhoami(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.Whoami.Operation
	h.sameJSON(object{"data": object{
		"type": "admin_token", "id": nil, "name": "ADMIN_TOKEN", "scopes": []string{"admin"}, "prefix": nil, "project_id": nil,
		"project_name": nil, "only_project": false,
	}}, h.mustCall(core.NewBootstrapActor(), op, `{}`))
	for args, changes := range map[string]object{
		`{"name": "fixer", "scopes": ["issues:read", "issues:write"]}`: {"name": "fixer", "scopes": []string{"issues:read", "issues:write"}},
		`{"name": "ci", "scopes": ["releases:write"], "project": "shop"}`: {"name": "ci", "scopes": []string{"releases:write"},
			"project_id": shop, "project_name": "Shop"},
	} {
		created := h.callData(core.NewBootstrapActor(), core.CreateToken.Operation, args)
		actor, err := h.tools.Authenticate(t.Context(), core.Secret(created["token"].(string)))
		require.NoError(t, err)
		h.sameJSON(object{"data": withChanges(object{
			"type": "token", "id": created["id"], "prefix": created["prefix"], "project_id": nil, "project_name": nil,
			"only_project": false,
		}, changes)}, h.mustCall(actor, op, `{}`))
	}
}

func requireUnauthorized(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.JSONEq(t, `{"error": "unauthorized"}`, mustJSON(t, core.AsError(err)))
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	actor, err := h.tools.Authenticate(t.Context(), adminToken)
	require.NoError(t, err)
	require.Equal(t, core.NewBootstrapActor(), actor)

	created := h.callData(core.NewBootstrapActor(), core.CreateToken.Operation,
		`{"name": "ci", "scopes": ["releases:write"], "project": "shop"}`)
	value := created["token"].(string)
	actor, err = h.tools.Authenticate(t.Context(), core.Secret(value))
	require.NoError(t, err)
	require.Equal(t, core.Actor{
		Type: core.ActorToken, ID: 1, Name: "ci", Scopes: core.List[core.Scope]{core.ReleasesWrite}, Prefix: core.Text(value[:10]),
		ProjectID: shop, ProjectName: "Shop",
	}, actor)

	other := "ck_" + strings.Repeat("a", 43)
	for name, token := range map[string]string{
		"empty":                  "",
		"unknown":                other,
		"too short":              value[:45],
		"too long":               value + "a",
		"without its prefix":     value[3:],
		"a setup key":            "cks_" + value[3:],
		"in other case":          "CK_" + value[3:],
		"with a space":           value + " ",
		"the hash":               fmt.Sprintf("%x", sha256.Sum256([]byte(value))),
		"the admin's, cut":       adminToken[:len(adminToken)-1],
		"the admin's and more":   adminToken + "x",
		"the admin's, uppercase": strings.ToUpper(adminToken),
		"invalid UTF-8":          "ck_" + strings.Repeat("\xff", 43),
		"zero bytes":             "ck_" + strings.Repeat("\x00", 43),
	} {
		actor, err := h.tools.Authenticate(t.Context(), core.Secret(token))
		requireUnauthorized(t, err)
		require.Equal(t, core.Actor{}, actor, name)
	}
}
