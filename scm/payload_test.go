package scm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

const everyField = `{
	"ref": "refs/heads/main", "action": "closed", "number": 7,
	"repository": {"html_url": "https://github.com/acme/shop", "clone_url": "https://github.com/acme/shop.git", "full_name": "acme/shop",
		"default_branch": "main"},
	"commits": [{"id": "0a1b2c3d4e", "message": "Load the cart", "distinct": false},
		{"id": "1a1b2c3d4e", "message": "Again"}],
	"pull_request": {"html_url": "https://github.com/acme/shop/pull/7", "number": 7, "title": "Cart",
		"body": "Errand-Issue: 1", "merged": true, "merge_commit_sha": "2a1b2c3d4e"},
	"deployment_status": {"id": 5, "state": "success", "environment": "staging", "created_at": "2026-03-14T12:30:00Z"},
	"deployment": {"sha": "0a1b2c3d4e", "environment": "production"}
}`

func read(t *testing.T, name, body string) core.SCMReport {
	t.Helper()
	d, err := readReport(event{name: name, deliveryID: "d-1", body: []byte(body)})
	require.NoError(t, err)
	return d
}

func TestReadReport(t *testing.T) {
	t.Parallel()
	push := read(t, "push", everyField)
	require.Equal(t, []string{"https://github.com/acme/shop", "https://github.com/acme/shop.git", "acme/shop"}, push.Repository)
	require.Equal(t, []core.SCMKey{{Text: "delivery d-1"}}, push.Keys)
	require.Equal(t, &core.SCMPush{Branch: "main", OnDefaultBranch: true, Commits: []core.SCMCommit{
		{SHA: "0a1b2c3d4e", Message: "Load the cart", WasPushed: true}, {SHA: "1a1b2c3d4e", Message: "Again"},
	}}, push.Push)
	require.Equal(t, &core.SCMPullRequest{
		Change: core.SCMMerged, URL: "https://github.com/acme/shop/pull/7", Number: 7, Title: "Cart", Body: "Errand-Issue: 1",
		MergeCommit: "2a1b2c3d4e", IsTrusted: true, // it lacks the author and the branches, which real hosts always send
	}, read(t, "pull_request", everyField).PullRequest)
	deployment := read(t, "deployment_status", everyField)
	require.Equal(t, &core.SCMDeployment{Commit: "0a1b2c3d4e", Environment: "production"}, deployment.Deployment)
	require.Len(t, deployment.Keys, 2)
	for _, name := range []string{"", "ping", "issues", "PUSH"} {
		require.NotEmpty(t, read(t, name, everyField).Ignored, name)
	}
}

func TestReadBranches(t *testing.T) {
	t.Parallel()
	readPush := func(ref string) [3]any {
		push := read(t, "push", fmt.Sprintf(`{"ref": %q, "repository": {"default_branch": "main"}}`, ref)).Push
		return [3]any{push.Branch, push.OnDefaultBranch, push.IsQueued}
	}
	require.Equal(t, [3]any{"main", true, false}, readPush("refs/heads/main"))
	require.Equal(t, [3]any{"release/1.0", false, false}, readPush("refs/heads/release/1.0"))
	require.Equal(t, [3]any{"refs/tags/main", false, false}, readPush("refs/tags/main"))
	require.Equal(t, [3]any{"gh-readonly-queue/main/pr-7-abc", false, true}, readPush("refs/heads/gh-readonly-queue/main/pr-7-abc"))

	readPull := func(head, base string) [2]any {
		request := read(t, "pull_request", fmt.Sprintf(`{"action": "opened", "repository": {"default_branch": "main"}, "pull_request":
			{"head": {"ref": "cart", "repo": {"full_name": %q}}, "base": {"ref": %q, "repo": {"full_name": "acme/shop"}}}}`, head, base)).PullRequest
		return [2]any{request.Branch, request.OntoOtherBranch}
	}
	require.Equal(t, [2]any{"cart", false}, readPull("Acme/shop", "main"))
	require.Equal(t, [2]any{"", false}, readPull("eve/shop", ""), "a branch of a fork may have any name")
	require.Equal(t, [2]any{"cart", true}, readPull("acme/shop", "release/1.0"))
}

func TestCommitsAreInTheirOrder(t *testing.T) {
	t.Parallel()
	const github, gitea = `{"id": "a"}, {"id": "b"}, {"id": "c"}`, `{"id": "c"}, {"id": "b"}, {"id": "a"}`
	for name, commits := range map[string]string{"the newest last": github, "the newest first": gitea} {
		push := read(t, "push", `{"after": "c", "commits": [`+commits+`]}`).Push
		require.Equal(t, []core.SCMCommit{{SHA: "a"}, {SHA: "b"}, {SHA: "c"}}, push.Commits, name)
	}
	push := read(t, "push", `{"after": "d", "commits": [`+gitea+`]}`).Push
	require.Equal(t, "c", push.Commits[0].SHA, "not known")
}

// A field of a wrong type counts as absent, and the rest of the payload counts.
func TestWrongTypesAreLeftOut(t *testing.T) {
	t.Parallel()
	values := []string{
		`null`, `1`, `1e400`, `-1.5`, `true`, `"text"`, `[]`, `[[[]]]`, `{}`, `{"id":{}}`, `"\u0000"`, `99999999999999999999`,
	}
	for _, value := range values {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(everyField), &fields))
		for _, body := range replaceEach(t, fields, value) {
			for _, name := range []string{"push", "pull_request", "deployment_status"} {
				read(t, name, body)
			}
		}
	}
	require.Equal(t, "acme/shop", read(t, "push", `{"commits": 7, "repository": {"html_url": [], "full_name": "acme/shop"}}`).Repository[2])
}

// replaceEach writes one copy of the object for each of its fields, at any depth, with the value in place of the field.
func replaceEach(t *testing.T, object map[string]any, value string) (bodies []string) {
	t.Helper()
	for name, old := range object {
		object[name] = json.RawMessage(value)
		body, err := json.Marshal(object)
		require.NoError(t, err)
		bodies = append(bodies, string(body))
		object[name] = old
		if inner, isObject := old.(map[string]any); isObject {
			for _, changed := range replaceEach(t, inner, value) {
				object[name] = json.RawMessage(changed)
				body, err := json.Marshal(object)
				require.NoError(t, err)
				bodies = append(bodies, string(body))
			}
			object[name] = old
		}
	}
	return bodies
}

func TestOnlyObjectsAreTaken(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100_000)
	for _, body := range []string{"", "{", "payload=%7B%7D", "[]", `"text"`, "null", "7", "{}{}", "{\"a\":\xff", deep} {
		_, err := readReport(event{name: "push", body: []byte(body)})
		require.True(t, core.HasCode(err, core.InvalidRequest), "%.20q: %v", body, err)
	}
}

func TestReportsWithoutIDAreKnownByTheirBody(t *testing.T) {
	t.Parallel()
	first, other := event{name: "push", body: []byte("{}")}, event{name: "push", body: []byte("{ }")}
	again := first

	require.Equal(t, first.key(), again.key())
	require.NotEqual(t, first.key(), other.key())
}

func FuzzReadReport(f *testing.F) {
	for _, name := range []string{"push", "pull_request", "deployment_status", "ping"} {
		f.Add(name, []byte(everyField))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		d, err := readReport(event{name: name, deliveryID: "d", body: body})
		if err != nil {
			require.True(t, core.HasCode(err, core.InvalidRequest))
			require.NotContains(t, string(mustMarshal(t, core.AsError(err))), "invalid character")
			return
		}
		require.NotEmpty(t, d.Keys)
		require.True(t, d.Ignored != "" || d.Push != nil || d.PullRequest != nil || d.Deployment != nil)
	})
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

func TestSignature(t *testing.T) {
	t.Parallel()
	const right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" // the example in GitHub's documentation
	const secret = core.Secret("It's a Secret to Everybody")
	given, err := parseSignature(right)
	require.NoError(t, err)
	require.True(t, given.signs([]byte("Hello, World!"), secret))
	require.False(t, given.signs([]byte("Hello, World?"), secret))
	require.False(t, given.signs([]byte("Hello, World!"), "another"))
	for _, wrong := range []string{"", "sha256=", right[:70], right + "00", right[7:], "sha1=" + right[7:], right[:70] + "g"} {
		_, err := parseSignature(wrong)
		require.True(t, core.HasCode(err, core.InvalidSignature), wrong)
	}
}
