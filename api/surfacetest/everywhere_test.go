package surfacetest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store"
	"errand/store/storetest"
	"errand/wire"
)

// everywhereCodes are the errors that every operation can answer. The tests of this file and of
// bad_input_test.go show each of them for every operation.
var everywhereCodes = []core.Code{
	core.Unauthorized, core.Forbidden, core.InvalidRequest, core.PayloadTooLarge, core.Internal, core.Unavailable,
}

// requireSameRefusal requires both surfaces to refuse the request before they read a call from it: with the same
// status, headers and body.
func requireSameRefusal(t *testing.T, op *core.Operation, code core.Code, rest, tool surfacetest.Answer) {
	t.Helper()
	require.Equal(t, code.Info().Status, rest.Status, "%s: %s", op.Name, rest.Body)
	require.Equal(t, rest.Status, tool.Status, op.Name)
	requireDeclared(t, code, rest.Body)
	want, got := objectOf(t, rest.Body), objectOf(t, tool.Body)
	require.Equal(t, string(code), want["error"], op.Name)
	for _, body := range []map[string]any{want, got} {
		if _, named := body["request_id"]; named {
			body["request_id"] = "of the request"
		}
	}
	require.Equal(t, want, got, op.Name)
	for _, name := range []string{"Content-Type", "Www-Authenticate", "Retry-After"} {
		require.Equal(t, rest.Header.Get(name), tool.Header.Get(name), "%s: %s", op.Name, name)
	}
}

// plausibleInput looks like a token, so that the database is asked.
var plausibleInput = "ck_" + strings.Repeat("x", 43)

func TestUnauthorizedEverywhere(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for _, op := range s.Registry.Operations() {
		for _, token := range []string{"", "ck_wrong", plausibleInput} {
			rest, tool := callREST(t, s, op, token, op.Example), callMCP(t, s, op, token, op.Example)
			requireSameRefusal(t, op, core.Unauthorized, rest, tool)
			require.Equal(t, "Bearer", rest.Header.Get("WWW-Authenticate"))
		}
	}
}

// tokenScopes are the scopes that a token can have.
var tokenScopes = []core.Scope{core.IssuesRead, core.IssuesWrite, core.ReleasesWrite, core.Admin}

// opensOperation reports whether one of the scopes opens the operation (primary API, Authentication).
func opensOperation(scopes []core.Scope, op *core.Operation) bool {
	return op.Scope == core.AnyToken || slices.Contains(scopes, core.Admin) ||
		slices.ContainsFunc(scopes, func(s core.Scope) bool { return s == op.Scope || s == op.OrScope })
}

func TestForbiddenEverywhere(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	tokens := map[core.Scope]string{}
	for _, scope := range tokenScopes {
		tokens[scope] = s.CreateToken(t, scope)
	}
	for _, op := range s.Registry.Operations() {
		for scope, token := range tokens {
			if opensOperation([]core.Scope{scope}, op) {
				continue
			}
			want := map[string]any{"error": "forbidden", "required_scope": string(op.Scope)}
			rest := callREST(t, s, op, token, op.Example)
			require.Equal(t, http.StatusForbidden, rest.Status, op.Name)
			require.Equal(t, want, objectOf(t, rest.Body), op.Name)
			if op.NotATool == "" {
				requireSameError(t, op, core.Forbidden, rest, callMCP(t, s, op, token, op.Example))
			}
		}
	}
}

// TestToolsOfEveryToken checks that tools/list shows exactly the tools that the scopes of a token open.
func TestToolsOfEveryToken(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for n := 1; n < 1<<len(tokenScopes); n++ {
		var scopes []core.Scope
		for i, scope := range tokenScopes {
			if n>>i&1 == 1 {
				scopes = append(scopes, scope)
			}
		}
		var want []string
		for _, op := range s.Registry.Operations() {
			if op.NotATool == "" && opensOperation(scopes, op) {
				want = append(want, op.Name)
			}
		}
		require.ElementsMatch(t, want, toolsOf(t, s, s.CreateToken(t, scopes...)), "%v", scopes)
	}
}

// toolsOf returns the names in tools/list for a token.
func toolsOf(t *testing.T, s *surfacetest.Surface, token string) []string {
	t.Helper()
	answer := s.SendMessage(t, token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	result, _ := objectOf(t, answer.Body)["result"].(map[string]any)
	tools, _ := result["tools"].([]any)
	var names []string
	for _, tool := range tools {
		names = append(names, fmt.Sprint(tool.(map[string]any)["name"]))
	}
	return names
}

func TestPayloadTooLargeEverywhere(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	padding := strings.Repeat(" ", wire.MaxBody)
	for _, op := range s.Registry.Operations() {
		if op.Body != nil || op.Scope == core.PersonScope { // it has its own limit, or takes no token
			continue
		}
		rest := s.SendRequest(t, surfacetest.Request{
			Method: op.Method(), Path: op.Path(), Token: surfacetest.AdminToken, Body: strings.NewReader("{}" + padding),
		})
		tool := s.SendMessage(t, surfacetest.AdminToken, surfacetest.ToolCall(op.Name, op.Example)+padding, nil)
		requireSameRefusal(t, op, core.PayloadTooLarge, rest, tool)
	}
}

func TestInternalEverywhere(t *testing.T) {
	t.Parallel()
	closed := storetest.New(t)
	closed.Close()
	requireFailing(t, core.Internal, closed)
}

func TestPanicsEverywhere(t *testing.T) {
	t.Parallel()
	requireFailing(t, core.Internal, &store.Store{}) // every use of it panics
}

func TestUnavailableEverywhere(t *testing.T) {
	t.Parallel()
	nobody := "postgres://errand@/errand?host=" + t.TempDir() // no server listens there
	requireFailing(t, core.Unavailable, storetest.Open(t, nobody, time.Now))
}

// requireFailing requires every operation to fail with the code on the store: in its handler, and where a token is
// looked up. The admin token needs no look-up.
func requireFailing(t *testing.T, code core.Code, broken *store.Store) {
	t.Helper()
	s := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: broken})
	for _, op := range s.Registry.Operations() {
		requireSameRefusal(t, op, code, callREST(t, s, op, plausibleInput, op.Example), callMCP(t, s, op, plausibleInput, op.Example))
		if op.NotATool == "" && !storetest.NeedsNoDatabase(op) {
			rest := callREST(t, s, op, surfacetest.AdminToken, op.Example)
			requireSameError(t, op, code, rest, callMCP(t, s, op, surfacetest.AdminToken, op.Example))
		}
	}
}
