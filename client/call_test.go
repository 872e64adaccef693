package client_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"errand/client"
	"errand/core"
)

// commandLine calls operations the way the command line does.
type commandLine struct {
	options    client.CallOptions
	in         string
	isTerminal bool
	width      int // of the terminal; 0 for 100
}

// called is the output of a command and its result.
type called struct {
	out, notes string
	err        error
}

// exitCode is the code that the process ends with after the command.
func (c called) exitCode() int {
	var coded interface{ ExitCode() int }
	switch {
	case c.err == nil:
		return 0
	case errors.As(c.err, &coded):
		return coded.ExitCode()
	}
	return 1
}

func newCommandLine(url string) commandLine {
	return commandLine{options: client.CallOptions{Client: client.Client{URL: url, Token: adminToken}}}
}

// call runs an operation with flags, as kong reads them.
func (c commandLine) call(t *testing.T, operation string, args ...string) called {
	t.Helper()
	input, found := client.NewOperationInput(operation)
	require.True(t, found, operation)
	var flags struct {
		client.CallOptions `embed:""`
		kong.Plugins
	}
	flags.Plugins = kong.Plugins{input.Flags()}
	parser, err := kong.New(&flags)
	require.NoError(t, err)
	if _, err = parser.Parse(args); err != nil {
		return called{err: err}
	}
	flags.URL, flags.OwnURL, flags.Token = cmp.Or(flags.URL, c.options.URL), c.options.URL, c.options.Token
	var out, notes strings.Builder
	flags.Streams = client.Streams{
		In: strings.NewReader(c.in), Out: &out, Notes: &notes, IsTerminal: c.isTerminal, Width: cmp.Or(c.width, 100),
	}
	err = input.Call(t.Context(), flags.CallOptions)
	return called{out.String(), notes.String(), err}
}

// callJSON calls an operation, which must succeed, and reads data of its answer.
func (c commandLine) callJSON(t *testing.T, into any, operation string, args ...string) {
	t.Helper()
	done := c.call(t, operation, args...)
	require.NoError(t, done.err, operation)
	require.NoError(t, json.Unmarshal([]byte(done.out), &struct{ Data any }{into}), done.out)
}

// TestCallEveryOperation checks that kong accepts the flags of each operation, that none hides a common flag, and
// that its example arrives in the right place.
func TestCallEveryOperation(t *testing.T) {
	t.Parallel()
	for _, op := range core.V1.Operations() {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			var method, path string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				method, path = r.Method, r.URL.Path
				_, _ = w.Write([]byte(`{"data":{}}`))
			}))
			defer server.Close()
			c := newCommandLine(server.URL)
			c.in = op.Example
			args := []string{"--input", "-"}
			if op.Example == "" {
				args = nil
			}
			if op.Body != nil {
				file := filepath.Join(t.TempDir(), "body")
				require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
				args = append(args, "--file", file)
			}

			done := c.call(t, op.Name, args...)

			require.NoError(t, done.err)
			require.Equal(t, op.Method(), method)
			require.NotContains(t, path, "{")
		})
	}
}

// TestCallKeepsTheTokenFromReceivers gives the address of a webhook's receiver as --url, which is also where other calls go.
func TestCallKeepsTheTokenFromReceivers(t *testing.T) {
	t.Parallel()
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body = string(text)
		_, _ = w.Write([]byte(`{"data":{}}`))
	}))
	defer server.Close()
	args := []string{"--name", "x", "--events", "issue.new"}
	for _, flag := range []string{"--url", "--field-url"} {
		done := newCommandLine(server.URL).call(t, "create_webhook", append(args, flag, "https://receiver.example/errand")...)
		require.NoError(t, done.err, flag)
		require.JSONEq(t, `{"name":"x","events":["issue.new"],"url":"https://receiver.example/errand"}`, body, flag)
	}

	done := newCommandLine("").call(t, "create_webhook", append(args, "--url", server.URL)...)
	require.ErrorContains(t, done.err, "Set ERRAND_URL")
	require.Equal(t, client.ExitUsage, done.exitCode())
}

func TestCallOperations(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	c.options.URL += "/"

	var issues []struct{ ID int64 }
	c.callJSON(t, &issues, "list_issues", "--project", "demo-shop", "--status=unresolved", "--no-claimed", "--limit", "2", "--sort=priority")
	require.Len(t, issues, 2)
	id := fmt.Sprint(issues[0].ID)

	var claim struct{ Holder string }
	c.callJSON(t, &struct{ Claim any }{&claim}, "claim_issue", "--id", "#"+id, "--minutes=5")
	var both []struct{ ID int64 }
	c.callJSON(t, &both, "get_issues", "--ids", fmt.Sprintf("#%s,%d", id, issues[1].ID))
	require.Len(t, both, 2)
	c.in = fmt.Sprintf(`{"id": 999999, "text": %q}`, "found it: a, b")
	c.callJSON(t, &struct{}{}, "add_note", "--input", "-", "--id", id)

	var project struct {
		DailyQuota    *int     `json:"daily_quota"`
		ScrubKeys     []string `json:"scrub_keys"`
		ScrubPatterns []string `json:"scrub_patterns"`
	}
	c.callJSON(t, &project, "update_project", "--project=demo-shop", "--scrub-keys=a1,b2", "--scrub_keys", "c3",
		"--scrub-patterns", "x{2,3}", "--scrub-patterns=y,z")
	require.Equal(t, []string{"a1", "b2", "c3"}, project.ScrubKeys)
	require.Equal(t, []string{"x{2,3}", "y,z"}, project.ScrubPatterns, "a comma is part of a pattern")
	c.callJSON(t, &project, "update_project", "--project=demo-shop", "--daily-quota=70")
	require.Equal(t, 70, *project.DailyQuota)
	c.in = `{"daily_quota": null}`
	c.callJSON(t, &project, "update_project", "--project=demo-shop", "--input=-")
	require.Nil(t, project.DailyQuota, "--input can say null")

	var activity []struct{ Kind string }
	c.callJSON(t, &activity, "list_issue_activity", "--id", id)
	require.NotEmpty(t, activity)
	done := c.call(t, "release_issue", "--id", id)
	require.NoError(t, done.err)
}

// TestCallTakesBothNamesOfAnIssue calls the operations on one issue with either name of its id, as a flag and in --input.
func TestCallTakesBothNamesOfAnIssue(t *testing.T) {
	t.Parallel()
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // the comparison below shows missing parts
		asked = r.URL.Path + " " + strings.TrimSpace(string(body))
		_, _ = w.Write([]byte(`{"data":{}}`))
	}))
	defer server.Close()
	c := newCommandLine(server.URL)
	for operation, want := range map[string]string{"get_issue": "/v1/issues/42 ", "find_similar": `/v1/similar {"issue_id":42}`} {
		for _, flag := range []string{"--id=42", "--issue-id=42", "--issue_id=42"} {
			require.NoError(t, c.call(t, operation, flag).err, "%s %s", operation, flag)
			require.Equal(t, want, asked)
		}
		for _, name := range []string{"id", "issue_id"} {
			c.in = fmt.Sprintf(`{%q: 42}`, name)
			require.NoError(t, c.call(t, operation, "--input=-").err, "%s %s", operation, c.in)
			require.Equal(t, want, asked)
		}
	}
	c.in = `{"id": 42, "issue_id": 43}`
	require.ErrorContains(t, c.call(t, "get_issue", "--input=-").err, "issue_id: is another name of id, and differs from it")
}

func TestCallUploadsFiles(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	c.in = `{"version":3,"sources":["a.js"],"names":[],"mappings":"AAAA","sourcesContent":["x"]}`
	file := filepath.Join(t.TempDir(), "app.js.map")
	require.NoError(t, os.WriteFile(file, []byte(c.in), 0o600))

	for name, from := range map[string]string{"~/app.js": file, "~/piped.js": "-"} {
		var uploaded struct{ Name string }
		c.callJSON(t, &uploaded, "upload_source_map", "--project=demo-shop", "--release", "1.0 b", "--name", name, "--file", from)
		require.Equal(t, name, uploaded.Name)
	}
}

func TestCallPrintsForPeople(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	c.isTerminal = true

	list := c.call(t, "list_issues", "--limit=2")
	require.NoError(t, list.err)
	lines := strings.Split(strings.TrimSpace(list.out), "\n")
	require.Len(t, lines, 3)
	require.Regexp(t, `^ID +STATUS +TITLE +EVENTS +USERS +LAST_SEEN`, lines[0])
	for _, line := range lines {
		require.LessOrEqual(t, len([]rune(line)), 100)
	}
	require.Contains(t, list.notes, "There is more: add --cursor ")
	require.Contains(t, list.notes, "ingest: {state=ok")

	chosen := c.call(t, "list_issues", "--limit=1", "--columns=id,triage.category")
	require.Regexp(t, `^ID +TRIAGE.CATEGORY\n\d+ +bug\n$`, chosen.out)
	one := c.call(t, "whoami")
	require.Contains(t, one.out, "name                     ADMIN_TOKEN\n")
	require.Contains(t, one.out, "scopes                   admin\n")
	none := c.call(t, "list_issues", "--search=no such text")
	require.NoError(t, none.err)
	require.Empty(t, none.out)
	require.Contains(t, none.notes, "Nothing found.")
	require.True(t, json.Valid([]byte(c.call(t, "whoami", "--json").out)))
}

func TestCallSaysWhatIsHeld(t *testing.T) {
	t.Parallel()
	config := newConfig(t)
	config.RequireApproval = "ignore"
	c := startServer(t, config)
	sent := c.sendEvent(t, c.makeProject(t), `{"message": "cart cannot be loaded"}`)

	done := c.call(t, "ignore_issue", "--id", fmt.Sprint(sent.IssueID))

	require.NoError(t, done.err)
	require.Contains(t, done.out, `"status":"approval_required"`)
	require.Equal(t, "Nothing is changed yet: an admin must approve the request first.\n", done.notes)
}

func TestCallSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	server := startServer(t, newConfig(t))
	file := filepath.Join(t.TempDir(), "input")
	require.NoError(t, os.WriteFile(file, []byte(`[1]`), 0o600))
	for name, test := range map[string]struct {
		code      int
		want      string
		operation string
		args      string
	}{
		"a refused value": {1, "400 Bad Request: invalid_request; limit must be at most 100\nCorrect the fields", "list_issues",
			"--limit=101"},
		"nothing there":       {1, "404 Not Found: not_found\nThe lists show", "get_issue", "--id=7"},
		"no number":           {2, `--limit must be a whole number, not "ten"`, "list_issues", "--limit=ten"},
		"no word of the list": {2, "--sort must be one of last_seen, priority, work, not \"age\"", "list_issues", "--sort=age"},
		"no item of the list": {2, "--scopes must be one of issues:read,", "create_token", "--name=x --scopes=admin,root"},
		"what is missing":     {2, "missing: --id, --source-ids", "merge_issues", ""},
		"no input":            {2, "--input: open /nowhere", "list_issues", "--input=/nowhere"},
		"input of no object":  {2, "--input: the body must be a JSON object", "list_issues", "--input=" + file},
		"an unknown field":    {1, "limti is not a known field", "list_issues", "--input=-"},
		"a file for nothing":  {2, "--file: list_issues takes no file", "list_issues", "--file=-"},
		"no file":             {2, "missing: --file", "upload_source_map", "--project=x --release=1 --name=a.js"},
		"a folder":            {2, "is a folder", "upload_source_map", "--project=x --release=1 --name=a.js --file=/tmp"},
		"another path":        {2, `project must be a value of its own, not ".."`, "delete_project", "--project=.."},
		"input twice":         {2, "cannot both be", "upload_source_map", "--project=x --release=1 --name=a.js --file=- --input=-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := server
			c.in = `{"limti": 3}`

			done := c.call(t, test.operation, strings.Fields(test.args)...)

			require.ErrorContains(t, done.err, test.want)
			require.Equal(t, test.code, done.exitCode(), done.err)
			require.NotContains(t, done.err.Error(), adminToken)
			require.Empty(t, done.out)
		})
	}
	missing := newCommandLine("")
	require.Equal(t, 2, missing.call(t, "whoami").exitCode())
}

// The answer may come from another program, or from another version of Errand.
func TestCallOfOtherServers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status     int
		body, want string
	}{
		"an older one": {404, `{"error":"not_found"}`, "has no operation whoami: is it older than this errand?"},
		"a web page":   {200, `<html>`, "it does not look like Errand's API"},
		"a proxy":      {502, `bad gateway`, "502 Bad Gateway: it does not look like Errand's API"},
		"a full one":   {503, `{"error":"unavailable"}`, "unavailable; try again in 7 s"},
		"one that says": {409, `{"error":"claimed","claim":{"holder":"fixer"},"hint":"Wait."}`,
			`claimed; claim: {"holder":"fixer"}; try again in 7 s` + "\nWait."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer server.Close()

			done := newCommandLine(server.URL).call(t, "whoami")

			require.ErrorContains(t, done.err, test.want)
			require.Equal(t, 1, done.exitCode())
		})
	}
}

// A text of the app must not control the terminal that shows it, nor reorder what people read.
func TestTerminalIsNotSteered(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b]0;title\x07b\u009b31mc\u202ed\u2066e\u200bf\U000e0041g\rh\ti\u2028j"
	body, err := json.Marshal(map[string]any{"data": []any{map[string]any{"id": 1, "title": hostile, hostile: "x"}}, hostile: hostile,
		"next_cursor": hostile})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer server.Close()
	c := newCommandLine(server.URL)
	c.isTerminal = true

	for _, args := range [][]string{nil, {"--json"}, {"--columns=title"}} {
		done := c.call(t, "list_issues", args...)
		require.NoError(t, done.err)
		require.NotRegexp(t, `[\x00-\x08\x0b-\x1f\x7f-\x9f\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}\x{e0041}]`, done.out+done.notes)
		if args != nil && args[0] == "--json" {
			require.JSONEq(t, string(body), done.out, "it means the same")
		}
	}
	c.isTerminal = false
	require.Equal(t, string(body)+"\n", c.call(t, "list_issues").out, "a program gets what was sent")
}
