package surfacetest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/api/surfacetest"
	"errand/core"
	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// success stands in for the code of an error.
const success core.Code = ""

// held stands in for the code of an error, for an action that waits for approval.
const held core.Code = core.HeldStatus

// parityCases are inputs that REST and MCP must answer alike, each starting from equal worlds. Every tool needs one for its success and
// one for each error that it declares. worldValues explains the $names. The errors that every operation has are in everywhere_test.go.
var parityCases = slices.Concat(basicCases, mergeCases, approvalCases, triageCases, releaseCases, sourceMapCases, webhookCases, setupCases)

// parityCase is one input with its expected outcome.
type parityCase struct {
	op    *core.Operation
	code  core.Code
	actor string // whose token makes the call
	input string
}

var basicCases = []parityCase{
	{core.ListProjects.Operation, success, "reader", `{}`},

	{core.CreateProject.Operation, success, "admin", `{"name": "Café <& more>", "platform": "node"}`},
	{core.CreateProject.Operation, success, "admin", `{"name": "Web shop", "platform": null}`},
	{core.CreateProject.Operation, core.InvalidRequest, "admin", `{"name": "  "}`},
	{core.CreateProject.Operation, core.InvalidRequest, "admin", `{"name": "turned \u202e around"}`},

	{core.UpdateProject.Operation, success, "admin",
		`{"project": $project, "repository": "Acme/Shop", "trust": "low", "daily_quota": "7", "scrub_keys": "iban,tax_id",
		"scrub_patterns": ["ORD-[0-9]{1,9}"], "allowed_origins": ["HTTPS://Shop.example"]}`},
	{core.UpdateProject.Operation, success, "admin",
		`{"project": "web-shop", "repository": null, "trust": null, "daily_quota": null, "allowed_origins": null}`},
	{core.UpdateProject.Operation, core.ProjectNotFound, "admin", `{"project": "no-such-app", "trust": "low"}`},
	{core.UpdateProject.Operation, core.InvalidRequest, "admin", `{"project": $project}`},
	{core.UpdateProject.Operation, core.InvalidRequest, "admin", `{"project": $project, "scrub_keys": null, "scrub_patterns": null}`},
	{core.UpdateProject.Operation, core.InvalidRequest, "admin", `{"project": $project, "repository": "https://github.com/acme/shop"}`},
	{core.UpdateProject.Operation, core.InvalidRequest, "admin",
		`{"project": $project, "scrub_keys": ["a b"], "scrub_patterns": ["ok", "(", "(.*)\\1x"]}`},
	{core.UpdateProject.Operation, core.InvalidRequest, "admin", `{"project": $project, "allowed_origins": ["https://shop.example/"]}`},

	{core.CreateProjectKey.Operation, success, "admin", `{"project": $project}`},
	{core.CreateProjectKey.Operation, success, "admin", `{"project": "web-shop"}`},
	{core.CreateProjectKey.Operation, core.ProjectNotFound, "admin", `{"project": "no-such-app"}`},
	{core.CreateProjectKey.Operation, core.ProjectNotFound, "admin", `{"project": "9007199254740993"}`},

	{core.DeleteProjectKey.Operation, success, "admin", `{"project": "$project", "key": "$key"}`},
	{core.DeleteProjectKey.Operation, core.ProjectNotFound, "admin", `{"project": "no-such-app", "key": "$key"}`},
	{core.DeleteProjectKey.Operation, core.NotFound, "admin", `{"project": $lonely, "key": "$key"}`},
	{core.DeleteProjectKey.Operation, core.LastKey, "admin", `{"project": $lonely, "key": "$lastkey"}`},

	{core.ListIssues.Operation, success, "reader", `{}`},
	{core.ListIssues.Operation, success, "reader",
		`{"project": $project, "status": "unresolved", "claimed": "false", "limit": "1", "fields": "all"}`},
	{core.ListIssues.Operation, success, "reader", `{"project": $project, "status": "open", "fields": "lean"}`},
	{core.ListIssues.Operation, success, "reader", `{"project": "web-shop", "limit": 1, "cursor": "$issuecursor"}`},
	{core.ListIssues.Operation, success, "reader",
		`{"search": "%", "since": "1h", "release": "shop@1", "environment": "production", "test": "false"}`},
	{core.ListIssues.Operation, core.ProjectNotFound, "reader", `{"project": "no-such-app"}`},
	{core.ListIssues.Operation, core.InvalidRequest, "reader", `{"cursor": "nonsense"}`},
	{core.ListIssues.Operation, success, "reader", `{"sort": "priority", "limit": "1"}`},
	{core.ListIssues.Operation, success, "reader", `{"project": "web-shop", "sort": "priority", "limit": 1, "cursor": "$prioritycursor"}`},
	{core.ListIssues.Operation, core.InvalidRequest, "reader",
		`{"project": "web-shop", "sort": "priority", "limit": 1, "cursor": "$issuecursor"}`},
	{core.ListIssues.Operation, core.InvalidRequest, "reader", `{"project": "web-shop", "status": "unresolved", "cursor": "$issuecursor"}`},
	{core.ListIssues.Operation, core.InvalidRequest, "reader", `{"sort": "newest"}`},
	{core.ListIssues.Operation, core.InvalidRequest, "reader", `{"cursor": "$eventcursor"}`},
	{core.ListIssues.Operation, core.InvalidRequest, "reader", `{"since": "yesterday"}`},

	{core.GetIssue.Operation, success, "reader", `{"id": $issue}`},
	{core.GetIssue.Operation, success, "reader", `{"id": "$merged"}`},
	{core.GetIssue.Operation, core.NotFound, "reader", `{"id": $missing}`},

	{core.ListIssueEvents.Operation, success, "reader", `{"id": $issue, "limit": 1}`},
	{core.ListIssueEvents.Operation, success, "reader", `{"id": $issue, "cursor": "$eventcursor"}`},
	{core.ListIssueEvents.Operation, core.NotFound, "reader", `{"id": $missing}`},
	{core.ListIssueEvents.Operation, core.InvalidRequest, "reader", `{"id": $issue, "cursor": "$issuecursor"}`},

	{core.ListIssueActivity.Operation, success, "reader", `{"id": $issue}`},
	{core.ListIssueActivity.Operation, core.NotFound, "reader", `{"id": $missing}`},
	{core.ListIssueActivity.Operation, core.InvalidRequest, "reader", `{"id": $issue, "cursor": "$issuecursor"}`},

	{core.GetEvent.Operation, success, "reader", `{"id": $event}`},
	{core.GetEvent.Operation, core.NotFound, "reader", `{"id": $missing}`},

	{core.GetBrief.Operation, success, "reader", `{"id": $issue}`},
	{core.GetBrief.Operation, success, "agent", `{"id": "$claimed", "budget": "500"}`},
	{core.GetBrief.Operation, core.NotFound, "reader", `{"id": $missing}`},
	{core.GetBrief.Operation, core.NotFound, "reader", `{"id": $merged}`},

	{core.ResolveIssue.Operation, success, "agent", `{"id": $issue}`},
	{core.ResolveIssue.Operation, core.NotFound, "agent", `{"id": $missing}`},
	{core.ResolveIssue.Operation, core.NotFound, "agent", `{"id": $merged}`},

	{core.IgnoreIssue.Operation, success, "agent", `{"id": $issue}`},
	{core.IgnoreIssue.Operation, success, "agent", `{"id": $issue, "until": "7d", "after_events": "100", "after_users": 5}`},
	{core.IgnoreIssue.Operation, core.InvalidRequest, "agent", `{"id": $issue, "until": "2001-01-01"}`},
	{core.IgnoreIssue.Operation, core.InvalidRequest, "agent", `{"id": $issue, "after_users": 1001}`},
	{core.IgnoreIssue.Operation, core.NotFound, "agent", `{"id": $missing}`},
	{core.IgnoreIssue.Operation, core.NotFound, "agent", `{"id": $merged}`},

	{core.UnresolveIssue.Operation, success, "agent", `{"id": $resolved}`},
	{core.UnresolveIssue.Operation, core.NotFound, "agent", `{"id": $missing}`},
	{core.UnresolveIssue.Operation, core.NotFound, "agent", `{"id": $merged}`},

	{core.NextIssueOp.Operation, success, "agent", `{"project": $project, "worker": "red"}`},
	{core.NextIssueOp.Operation, core.ProjectNotFound, "agent", `{"project": "nothing"}`},

	{core.ClaimIssue.Operation, success, "agent", `{"id": $issue}`},
	{core.ClaimIssue.Operation, success, "agent", `{"id": $claimed, "minutes": "1440"}`},
	{core.ClaimIssue.Operation, core.Claimed, "rival", `{"id": $claimed}`},
	{core.ClaimIssue.Operation, core.NotFound, "agent", `{"id": $missing}`},
	{core.ClaimIssue.Operation, core.NotFound, "agent", `{"id": $merged}`},

	{core.ReleaseIssue.Operation, success, "agent", `{"id": $claimed}`},
	{core.ReleaseIssue.Operation, success, "admin", `{"id": $claimed}`},
	{core.ReleaseIssue.Operation, success, "rival", `{"id": $issue}`},
	{core.ReleaseIssue.Operation, core.NotClaimHolder, "rival", `{"id": $claimed}`},
	{core.ReleaseIssue.Operation, core.NotFound, "agent", `{"id": $missing}`},
	{core.ReleaseIssue.Operation, core.NotFound, "agent", `{"id": $merged}`},

	{core.AddNote.Operation, success, "agent", `{"id": $issue, "text": "password=hunter2 \u0000\u202e <b>&"}`},
	{core.AddNote.Operation, core.NotFound, "agent", `{"id": $missing, "text": "hello"}`},
	{core.AddNote.Operation, core.NotFound, "agent", `{"id": $merged, "text": "hello"}`},
	{core.AddNote.Operation, core.InvalidRequest, "agent", `{"id": $issue, "text": "\u0000\u200b"}`},

	{core.ListTokens.Operation, success, "admin", `{}`},

	{core.Whoami.Operation, success, "admin", `{}`},
	{core.Whoami.Operation, success, "reader", `{}`},
}

func TestParity(t *testing.T) {
	t.Parallel()
	shared := newWorlds(t, "none")
	for _, c := range parityCases {
		t.Run(fmt.Sprintf("%s %s %s", c.op.Name, c.code, c.input), func(t *testing.T) {
			t.Parallel()
			worlds := shared // by calls that change nothing
			switch {
			case c.code == held:
				worlds = newWorlds(t, "ignore,merge,delete_project")
			case c.code == success && !c.op.ReadOnly():
				worlds = newWorlds(t, "none")
			case c.op.Name == core.SendTestEvent.Operation.Name: // a refused one is begun and undone, and calls beside it would see that
				worlds = newWorlds(t, "none")
			}
			overREST, overMCP := worlds[0], worlds[1]
			input := os.Expand(c.input, overREST.valueOf)
			require.Equal(t, input, os.Expand(c.input, overMCP.valueOf), "the worlds are equal")
			rest := callREST(t, overREST.Surface, c.op, overREST.tokenOf(c.actor), input)
			tool := callMCP(t, overMCP.Surface, c.op, overMCP.tokenOf(c.actor), input)
			requireSame(t, c.op, c.code, rest, tool)
			require.Equal(t, overREST.readState(t), overMCP.readState(t), "what the call left behind")
		})
	}
}

// TestParityIsComplete fails for a new tool, or a new error of a tool, without a case.
func TestParityIsComplete(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, c := range slices.Concat(parityCases, switchedOffCases) {
		require.Contains(t, outcomesOf(c.op), c.code, "%s does not declare it", c.op.Name)
		shown[c.op.Name+" "+string(c.code)] = true
	}
	for _, op := range core.V1.Tools() {
		for _, code := range outcomesOf(op) {
			// An error that an operation declares itself has its own reason, even if every operation has the error.
			if !slices.Contains(everywhereCodes, code) || slices.Contains(op.Errors, code) {
				require.True(t, shown[op.Name+" "+string(code)],
					"add a case of %s with the outcome %q to the lists that parityCases joins (api/surfacetest/parity_test.go)", op.Name, code)
			}
		}
	}
}

// outcomesOf returns the possible outcomes of an operation.
func outcomesOf(op *core.Operation) []core.Code {
	outcomes := append(op.AllErrors(), success)
	if op.IsHoldable() {
		outcomes = append(outcomes, held)
	}
	return outcomes
}

// callREST makes the call over REST, with each field in its part of the request.
func callREST(t *testing.T, s *surfacetest.Surface, op *core.Operation, token, input string) surfacetest.Answer {
	t.Helper()
	fields := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal([]byte(input), &fields), input)
	target := api.TargetOf(op, fields)
	return s.SendRequest(t, surfacetest.Request{Method: op.Method(), Path: target.Path, Token: token,
		Body: strings.NewReader(string(target.Body))})
}

// callMCP makes the call as a tool call and returns the HTTP answer.
func callMCP(t *testing.T, s *surfacetest.Surface, op *core.Operation, token, input string) surfacetest.Answer {
	t.Helper()
	if op.Name == core.ListIssues.Operation.Name && !strings.Contains(input, `"fields"`) { // models have another default
		input = strings.Replace(strings.Replace(input, "{", `{"fields": "all", `, 1), ", }", "}", 1)
	}
	return s.SendMessage(t, token, surfacetest.ToolCall(op.Name, input), nil)
}

// requireSame requires both surfaces to give the same answer, with the outcome.
func requireSame(t *testing.T, op *core.Operation, code core.Code, rest, tool surfacetest.Answer) {
	t.Helper()
	status := op.Status
	switch code {
	case success:
	case held:
		status = core.HeldHTTPStatus
		requireFits(t, core.HeldSchema(), rest.Body)
	default:
		requireSameError(t, op, code, rest, tool)
		return
	}
	require.Equal(t, status, rest.Status, rest.Body)
	result := surfacetest.ResultOf(t, tool)
	require.False(t, result.IsError, result.Content)
	require.Len(t, result.Content, 1)
	if op.OutputSchema(false) == nil {
		require.Empty(t, rest.Body)
		require.Empty(t, result.StructuredContent)
		return
	}
	require.NotEmpty(t, rest.Body)
	if op.IsProse() {
		requireSameProse(t, rest, result)
		return
	}
	require.JSONEq(t, result.Content[0].Text, string(result.StructuredContent)) // the library escapes < and &
	want, got := objectOf(t, rest.Body), objectOf(t, result.Content[0].Text)
	if want["next"] == nil {
		delete(got, "next") // members that only models get
	}
	delete(got, "pending_approval")
	require.Equal(t, want, got)
}

// requireSameProse requires the tool to answer the Markdown of the same object, except for the random id of its fences.
func requireSameProse(t *testing.T, rest surfacetest.Answer, result surfacetest.ToolResult) {
	t.Helper()
	var answer struct{ Data struct{ Markdown string } }
	require.NoError(t, json.Unmarshal([]byte(rest.Body), &answer))
	require.NotEmpty(t, answer.Data.Markdown)
	fenceID := regexp.MustCompile(`UNTRUSTED [0-9a-f]{16} `)
	require.Equal(t, fenceID.ReplaceAllString(answer.Data.Markdown, ""), fenceID.ReplaceAllString(result.Content[0].Text, ""))
	require.Empty(t, result.StructuredContent, "clients would show it instead of the text")
}

// requireSameError requires both surfaces to answer the same error. The tool adds only the hint and members for models.
func requireSameError(t *testing.T, op *core.Operation, code core.Code, rest, tool surfacetest.Answer) {
	t.Helper()
	require.Equal(t, code.Info().Status, rest.Status, "%s: %s", op.Name, rest.Body)
	want := objectOf(t, rest.Body)
	require.Equal(t, string(code), want["error"], op.Name)
	requireDeclared(t, code, rest.Body)
	result := surfacetest.ResultOf(t, tool)
	require.True(t, result.IsError, "%s: %s", op.Name, tool.Body)
	require.Empty(t, result.StructuredContent, op.Name)
	require.Len(t, result.Content, 1, op.Name)
	got := objectOf(t, result.Content[0].Text)
	require.Equal(t, code.Info().Hint == "", got["hint"] == nil, "%s: %s", op.Name, code)
	for _, name := range []string{"hint", "next", "projects", "merged_into"} { // members that only models get
		delete(got, name)
	}
	if id, named := want["request_id"]; named {
		require.Equal(t, rest.Header.Get("X-Request-Id"), id, op.Name)
		require.Equal(t, tool.Header.Get("X-Request-Id"), got["request_id"], op.Name)
		delete(want, "request_id")
		delete(got, "request_id")
	}
	require.Equal(t, want, got, op.Name)
}

// requireDeclared requires the body of an error to have exactly the members that its code declares.
func requireDeclared(t *testing.T, code core.Code, body string) {
	t.Helper()
	requireFits(t, core.V1.Errors().BodySchema(code), body)
}

// requireFits requires a body to have exactly the members of the schema.
func requireFits(t *testing.T, schema core.Schema, body string) {
	t.Helper()
	schema["additionalProperties"] = false
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("error.json", document))
	rules, err := compiler.Compile("error.json")
	require.NoError(t, err)
	answer, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, rules.Validate(answer), body)
}

func objectOf(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &object), text)
	return object
}

// TestCallOfNoTool checks that operations withheld from agents cannot be called by name.
func TestCallOfNoTool(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for _, op := range core.V1.Operations() {
		if op.NotATool != "" {
			answer := callMCP(t, s, op, surfacetest.AdminToken, op.Example)
			require.Equal(t, http.StatusOK, answer.Status, op.Name)
			require.Contains(t, answer.Body, `"code":-32602`, op.Name)
		}
	}
}
