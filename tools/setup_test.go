package tools_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// setupOf makes a setup key and returns its actor.
func setupOf(h *fixture) (core.Actor, map[string]any) {
	h.Helper()
	created := h.callData(core.NewBootstrapActor(), core.CreateSetupKey.Operation, `{}`)
	actor, err := h.tools.Authenticate(h.Context(), core.Secret(created["key"].(string)))
	require.NoError(h, err)
	return actor, created
}

// agentOf makes an agent token and returns its actor.
func agentOf(h *fixture, by core.Actor, project string) core.Actor {
	h.Helper()
	made := h.callData(by, core.CreateAgentToken.Operation, fmt.Sprintf(`{"name": "fixer", "project": %q}`, project))
	actor, err := h.tools.Authenticate(h.Context(), core.Secret(made["token"].(string)))
	require.NoError(h, err)
	return actor
}

func registerApp(h *fixture, by core.Actor, name string) map[string]any {
	h.Helper()
	return h.callData(by, core.RegisterApp.Operation, fmt.Sprintf(`{"name": %q}`, name))
}

func TestCreateSetupKey(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	created := h.callData(core.NewBootstrapActor(), core.CreateSetupKey.Operation, `{}`)
	key := created["key"].(string)
	require.Regexp(t, `^cks_[A-Za-z0-9]{43}$`, key)
	prompt := created["prompt"].(string)
	for _, client := range []string{"Claude Code", "Codex", "Cursor", "VS Code", "Gemini", "bearer-token-env-var ERRAND_SETUP_KEY"} {
		require.Contains(t, prompt, client)
	}
	require.Contains(t, prompt, key)
	require.Contains(t, prompt, "https://errors.example/mcp")
	delete(created, "prompt")
	want := object{"id": 1, "prefix": key[:10], "created_at": noonText, "created_by": "ADMIN_TOKEN", "expires_at": "2026-03-14T13:30:00.000Z"}
	h.sameJSON(withChanges(want, object{"key": key}), mustJSON(t, created))
	h.sameJSON(object{"data": []any{withChanges(want, object{"apps": 0, "tokens": 0, "revoked_at": nil})}},
		h.mustCall(core.NewBootstrapActor(), core.ListSetupKeys.Operation, `{}`))
	require.Equal(t, []string{"0"}, queryTexts(h, `SELECT count(*)::text FROM setup_keys k WHERE k::text LIKE '%' || $1 || '%'`, key[10:]))
	require.NotContains(t, h.log.String(), key)
}

func TestSetupKeyEnds(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	_, created := setupOf(h)
	key := core.Secret(created["key"].(string))
	h.now = noon.Add(core.SetupKeyLife - time.Millisecond)
	_, err := h.tools.Authenticate(t.Context(), key)
	require.NoError(t, err)
	h.now = noon.Add(core.SetupKeyLife)
	_, err = h.tools.Authenticate(t.Context(), key)
	requireUnauthorized(t, err)
	require.Empty(t, h.mustCall(core.NewBootstrapActor(), core.RevokeSetupKey.Operation, `{"id": 1}`), "an expired key can be revoked")
}

// TestSetupKeyThatEndsMeanwhile checks that a call which was authenticated before the key ended makes nothing afterwards.
func TestSetupKeyThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	actor, created := setupOf(h)
	registerApp(h, actor, "Web shop")
	h.mustCall(core.NewBootstrapActor(), core.RevokeSetupKey.Operation, mustJSON(t, object{"id": created["id"]}))
	h.sameJSON(object{"error": "unauthorized"}, h.mustFail(actor, core.RegisterApp.Operation, `{"name": "Office"}`))
	h.sameJSON(object{"error": "unauthorized"},
		h.mustFail(actor, core.CreateAgentToken.Operation, `{"name": "fixer", "project": "web-shop"}`))
}

func TestRegisterApp(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	actor, _ := setupOf(h)
	body := h.mustCall(actor, core.RegisterApp.Operation, `{"name": "Shop", "platform": "Next.js"}`)
	var first struct {
		Data core.RegisteredApp
		Next []any
	}
	decodeInto(t, body, &first)
	require.True(t, first.Data.Created)
	require.Equal(t, "shop-1", first.Data.Project.Slug, "the name of a project that others made is free")
	require.Regexp(t, fmt.Sprintf(`^https://[0-9a-f]{32}@errors.example/%d$`, first.Data.Project.ID), first.Data.DSN)
	guide := object{"tool": "get_setup_guide", "arguments": object{"platform": "nextjs", "project": "shop-1"}}
	h.sameJSON([]any{guide}, mustJSON(t, first.Next))

	again := registerApp(h, actor, "Shop")
	require.Equal(t, false, again["created"])
	h.sameJSON(first.Data.Project, mustJSON(t, again["project"]))
	require.Equal(t, first.Data.DSN, again["dsn"])
	other, _ := setupOf(h)
	require.Equal(t, true, registerApp(h, other, "Shop")["created"], "it is the app of the key that registered it")
	require.Equal(t, true, registerApp(h, core.NewBootstrapActor(), "Shop")["created"])
	require.Equal(t, false, registerApp(h, core.NewBootstrapActor(), "Shop")["created"])
}

func TestRegisterAppRefuses(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	for args, field := range map[string]string{
		`{}`:                           "name",
		`{"name": ""}`:                 "name",
		`{"name": "\u202egnp.exe"}`:    "name",
		`{"name": "a\nIgnore this"}`:   "name",
		`{"name": "a", "platform": 7}`: "platform",
		fmt.Sprintf(`{"name": %q}`, strings.Repeat("ü", 101)):                 "name",
		fmt.Sprintf(`{"name": "a", "platform": %q}`, strings.Repeat("x", 33)): "platform",
	} {
		h.mustRefuse(core.RegisterApp.Operation, args, field)
	}
	require.Equal(t, true, registerApp(h, core.NewBootstrapActor(), strings.Repeat("ü", 100))["created"])
}

// inParallel makes the calls in parallel. It returns how many succeeded, and the codes of the errors.
func inParallel(h *fixture, actor core.Actor, op *core.Operation, calls ...string) (succeeded int, failed map[core.Code]int) {
	h.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	failed = map[core.Code]int{}
	for _, args := range calls {
		all.Go(func() {
			_, failure := h.callOperation(actor, op, args)
			mu.Lock()
			defer mu.Unlock()
			if failure == nil {
				succeeded++
			} else {
				failed[failure.Code]++
			}
		})
	}
	all.Wait()
	return succeeded, failed
}

func TestLimitsOfASetupKey(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	actor, _ := setupOf(h)
	var names, tokens []string
	for n := range 16 {
		names = append(names, fmt.Sprintf(`{"name": "App %d"}`, n))
		tokens = append(tokens, `{"name": "fixer", "project": "app-of-tokens"}`)
	}
	registerApp(h, actor, "App of tokens")
	succeeded, failed := inParallel(h, actor, core.RegisterApp.Operation, names...)
	require.Equal(t, core.SetupKeyMaxApps-1, succeeded)
	require.Equal(t, map[core.Code]int{core.Limit: 16 - succeeded}, failed)
	require.Equal(t, false, registerApp(h, actor, "App of tokens")["created"], "a retry is no further app")

	succeeded, failed = inParallel(h, actor, core.CreateAgentToken.Operation, tokens...)
	require.Equal(t, core.SetupKeyMaxTokens, succeeded)
	require.Equal(t, map[core.Code]int{core.Limit: 16 - succeeded}, failed)
	refused := h.mustFail(actor, core.RegisterApp.Operation, `{"name": "Eleventh"}`)
	require.Contains(t, refused, `"message":"a setup key registers at most 10 apps`)
	h.mustCall(core.NewBootstrapActor(), core.DeleteProject.Operation, `{"project": "app-of-tokens"}`)
	h.mustFail(actor, core.RegisterApp.Operation, `{"name": "App of tokens"}`)
}

// TestSameAppAtOnce repeats a registration while the first one is running.
func TestSameAppAtOnce(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	actor, _ := setupOf(h)
	calls := make([]string, 8)
	for n := range calls {
		calls[n] = `{"name": "Web shop"}`
	}
	for _, by := range []core.Actor{actor, core.NewBootstrapActor()} {
		succeeded, _ := inParallel(h, by, core.RegisterApp.Operation, calls...)
		require.Len(t, calls, succeeded)
	}
	require.Equal(t, []string{"web-shop", "web-shop-1"}, queryTexts(h, `SELECT slug FROM projects ORDER BY slug`))
}

func TestRevokeSetupKeyRevokesItsTokens(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	actor, created := setupOf(h)
	registerApp(h, actor, "Web shop")
	agent := agentOf(h, actor, "web-shop")
	h.callData(actor, core.CreateAgentToken.Operation, `{"name": "second", "project": "web-shop"}`)
	other, otherKey := setupOf(h)
	kept := agentOf(h, core.NewBootstrapActor(), "shop")
	issue := h.addEvents(h.newEvent("pay", 1)).IssueID
	h.mustCall(agent, core.ClaimIssue.Operation, idArgs(issue))

	h.sameJSON(object{"error": "not_found"}, h.mustFail(other, core.RevokeSetupKey.Operation, mustJSON(t, object{"id": created["id"]})))
	require.Empty(t, h.mustCall(actor, core.RevokeSetupKey.Operation, mustJSON(t, object{"id": created["id"]})))
	h.sameJSON(object{"error": "not_found"},
		h.mustFail(core.NewBootstrapActor(), core.RevokeSetupKey.Operation, mustJSON(t, object{"id": created["id"]})))

	require.Equal(t, []string{"2", "3"}, queryTexts(h, `SELECT id::text FROM tokens WHERE revoked_at IS NOT NULL ORDER BY id`))
	require.Equal(t, []string{"2", "3"}, queryTexts(h,
		`SELECT target_id::text FROM activity WHERE action = 'token.revoke' AND actor_name = $1 ORDER BY id`, actor.Name))
	require.Equal(t, []string{"false"}, queryTexts(h, `SELECT (claim_expires_at IS NOT NULL)::text FROM issues`), "its claims have ended")
	require.NotEmpty(t, kept.Name)
	h.sameJSON(object{"data": []any{otherKey["id"]}}, mustJSON(t, object{"data": listedKeys(h, other)}))
}

// listedKeys returns the ids of the setup keys that an actor sees.
func listedKeys(h *fixture, actor core.Actor) []any {
	h.Helper()
	var list struct{ Data []map[string]any }
	decodeInto(h.T, h.mustCall(actor, core.ListSetupKeys.Operation, `{}`), &list)
	var ids []any
	for _, key := range list.Data {
		ids = append(ids, key["id"])
	}
	return ids
}

func TestAgentToken(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	actor, _ := setupOf(h)
	registerApp(h, actor, "Web shop")
	made := h.callData(actor, core.CreateAgentToken.Operation, `{"name": "fixer", "project": "web-shop"}`)
	value := made["token"].(string)
	h.storesOnlyTheHash(value)
	require.Equal(t, []any{"issues:read", "issues:write"}, made["scopes"])
	require.Equal(t, "Web shop", made["project_name"])
	require.ElementsMatch(t, []string{"id", "name", "scopes", "prefix", "project_id", "project_name", "token"}, keysOf(made))

	agent, err := h.tools.Authenticate(t.Context(), core.Secret(value))
	require.NoError(t, err)
	issue := h.addEvents(h.newEvent("pay", 1)).IssueID // in another app
	h.mustCall(agent, core.ResolveIssue.Operation, idArgs(issue))
	h.now = noon.Add(400 * 24 * time.Hour)
	_, err = h.tools.Authenticate(t.Context(), core.Secret(value))
	require.NoError(t, err, "it does not expire")
	h.mustCall(core.NewBootstrapActor(), core.DeleteProject.Operation, `{"project": "web-shop"}`)
	_, err = h.tools.Authenticate(t.Context(), core.Secret(value))
	requireUnauthorized(t, err)
	h.mustRefuse(core.CreateAgentToken.Operation, `{"name": "ADMIN_TOKEN", "project": "shop"}`, "name")
}

func keysOf(o map[string]any) []string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	return names
}
