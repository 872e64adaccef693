package app_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/scm"
	"errand/store/storetest"
)

const (
	scmSecret  = "the-secret-of-the-webhook"
	fixCommit  = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
	headCommit = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"
	shopPR     = "https://github.com/acme/shop/pull/42"
)

// scmShop is a server with a project that has the repository acme/shop, and an issue.
type scmShop struct {
	*server
	*testing.T
	databaseURL string
	key         string // for events
	issue       int64
	reports     int
}

func openSCMShop(t *testing.T) *scmShop {
	t.Helper()
	databaseURL := storetest.NewURL(t)
	c := configOn(databaseURL)
	c.SCMWebhookSecret, c.BaseURL, c.SCMHost = scmSecret, "https://errand.example", "github.com"
	s := &scmShop{server: startServer(t, c), T: t, databaseURL: databaseURL}
	s.key = s.makeProject(t)
	s.setRepository("web-shop")
	s.issue = s.sendEvent(t, s.key)
	return s
}

func (s *scmShop) setRepository(project string) {
	s.Helper()
	got := s.sendRequest(s.Context(), http.MethodPatch, "/v1/projects/"+project, "", strings.NewReader(`{"repository": "Acme/Shop"}`))
	require.Equal(s, http.StatusOK, got.status, got.body)
}

// signBody returns the value of the signature header for a body.
func signBody(body string) string {
	mac := hmac.New(sha256.New, []byte(scmSecret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// postHook sends a body to the webhook, at the address that the server listens on, with headers as name, value.
func (s *scmShop) postHook(body io.Reader, headers ...string) answer {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+s.Addr()+"/hooks/scm", body)
	require.NoError(s, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	got := s.doRequest(request)
	require.NoError(s, got.err)
	return got
}

// sendReportAs sends a signed report with an id, and returns the answer, which must be 200.
func (s *scmShop) sendReportAs(id, event, body string) string {
	s.Helper()
	got := s.postHook(strings.NewReader(body), "X-Scm-Event", event, "X-Scm-Delivery", id, "X-Scm-Signature-256", signBody(body))
	require.Equal(s, http.StatusOK, got.status, got.body)
	return got.body
}

// sendReport sends a signed report with an id of its own.
func (s *scmShop) sendReport(event, body string) string {
	s.Helper()
	s.reports++
	return s.sendReportAs(fmt.Sprintf("report-%d", s.reports), event, body)
}

func (s *scmShop) showIssue() map[string]any {
	s.Helper()
	got := s.sendRequest(s.Context(), http.MethodGet, fmt.Sprintf("/v1/issues/%d", s.issue), "", nil)
	require.Equal(s, http.StatusOK, got.status, got.body)
	var object struct{ Data map[string]any }
	require.NoError(s, json.Unmarshal([]byte(got.body), &object))
	return object.Data
}

func (s *scmShop) showFix() map[string]any {
	s.Helper()
	fix, _ := s.showIssue()["fix"].(map[string]any)
	return fix
}

// marker is a message that names the issue.
func (s *scmShop) marker() string { return fmt.Sprintf("Load the cart\n\nErrand-Issue: %d", s.issue) }

// The payloads, in the form that GitHub documents, with the fields that matter and some that do not.

const shopRepository = `"repository": {"id": 1, "name": "Shop", "full_name": "Acme/Shop", "private": true,
	"html_url": "https://github.com/Acme/Shop", "clone_url": "https://github.com/Acme/Shop.git", "default_branch": "main"},
	"sender": {"login": "ada", "id": 2}`

func pushOf(branch string, commits ...string) string {
	return fmt.Sprintf(`{"ref": "refs/heads/%s", "before": "%040d", "after": "%s", "forced": false, "commits": [%s], %s}`,
		branch, 0, headCommit, strings.Join(commits, ","), shopRepository)
}

func commitOf(sha, message string) string {
	text, _ := json.Marshal(message) // a string always has JSON
	return fmt.Sprintf(`{"id": %q, "tree_id": "x", "distinct": true, "message": %s, "author": {"name": "Ada"}}`, sha, text)
}

func pullRequestOf(action, title, body, more string) string {
	text, _ := json.Marshal(body) // a string always has JSON
	return fmt.Sprintf(`{"action": %q, "number": 42, "pull_request": {"number": 42, "html_url": "https://github.com/Acme/Shop/pull/42",
		"state": "open", "title": %q, "body": %s %s}, %s}`, action, title, text, more, shopRepository)
}

func deploymentOf(state, sha, environment string) string {
	return fmt.Sprintf(`{"deployment_status": {"state": %q, "environment": %q}, "deployment": {"sha": %q, "environment": %q}, %s}`,
		state, environment, sha, environment, shopRepository)
}

func TestSCMPushLinksAndDeploymentDeploys(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	message := fmt.Sprintf("Load the cart\n\nErrand-Issue: %d\n", s.issue)
	push := pushOf("cart", commitOf(fixCommit, message), commitOf(headCommit, "Tidy up\x00 <b>\nErrand-Issue: 99999999999999999999, 12345"))

	require.JSONEq(t, fmt.Sprintf(`{"ok": true, "projects": 1, "commits": 2, "linked": [%d]}`, s.issue), s.sendReport("push", push))
	require.Equal(t, fixCommit, s.showFix()["commit"])
	require.Equal(t, "scm", s.showFix()["linked_by"])
	require.Equal(t, "fix_pending", s.showIssue()["status"])
	require.JSONEq(t, `{"ok": true, "projects": 1, "commits": 2}`, s.sendReport("push", push), "it has that fix already")

	require.Contains(t, s.sendReport("deployment_status", deploymentOf("pending", fixCommit, "production")), `"ignored":`)
	answer := s.sendReport("deployment_status", deploymentOf("success", fixCommit, "production"))
	require.Regexp(t, `^\{"ok":true,"deploys":\[\{"id":\d+,"project_id":\d+,"release":"`+fixCommit+`","environment":"production","commit":"`+
		fixCommit+`","deployed_at":"[^"]+","fixes_deployed":\[`+fmt.Sprint(s.issue)+`\],"fixes_waiting":\[\]\}\]\}$`, answer)
	require.NotNil(t, s.showFix()["deployed_at"])
	got := s.sendRequest(t.Context(), http.MethodGet, "/v1/releases/"+fixCommit+"?project=web-shop", "", nil)
	require.Contains(t, got.body, `"source":"scm"`)
}

func TestSCMPullRequestUntilItsMergeCommitIsDeployed(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	named := fmt.Sprintf("Fixes https://errand.example/issues/%d.\r\n", s.issue)

	require.JSONEq(t, fmt.Sprintf(`{"ok": true, "projects": 1, "linked": [%d]}`, s.issue),
		s.sendReport("pull_request", pullRequestOf("opened", "Cart", named, "")))
	require.Equal(t, shopPR, s.showFix()["pr_url"])
	require.Contains(t, s.sendReport("pull_request", pullRequestOf("edited", "Cart", named, "")), `"ignored":`, "it has that fix already")
	require.Contains(t, s.sendReport("pull_request", pullRequestOf("synchronize", "Cart", named, "")), `"ignored":`)

	// CI is faster than the webhook: the deploy comes before the merge.
	s.sendReport("deployment_status", deploymentOf("success", headCommit, "production"))
	require.Nil(t, s.showFix()["deployed_at"])
	merged := pullRequestOf("closed", "Cart", named, fmt.Sprintf(`, "merged": true, "merge_commit_sha": %q`, headCommit))
	require.JSONEq(t, `{"ok": true, "projects": 1, "merged": "`+shopPR+`"}`, s.sendReport("pull_request", merged))
	require.NotNil(t, s.showFix()["deployed_at"])

	// A fix that is linked by hand afterwards is known by the merge commit too.
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", s.issue), `{"commit": "abcdef0"}`)
	require.Nil(t, s.showFix()["deployed_at"])
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", s.issue), `{"pr_url": "`+shopPR+`"}`)
	require.NotNil(t, s.showFix()["deployed_at"])
}

func TestSCMMergeCommitOfAPush(t *testing.T) {
	t.Parallel()
	for name, title := range map[string]string{
		"merge": "Merge pull request #42 from acme/cart", "squash": "Load the cart (#42)",
		"Gitea": "Merge pull request 'Cart' (#42) from cart into main",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			marker := fmt.Sprintf("Errand-Issue: #%d", s.issue)
			s.sendReport("pull_request", pullRequestOf("opened", marker, "", ""))

			s.sendReport("push", pushOf("other", commitOf(fixCommit, title)))
			s.sendReport("push", pushOf("main", commitOf(headCommit, title+"\n\n"+marker)))
			require.Equal(t, shopPR, s.showFix()["pr_url"], "the merge commit is no fix of its own")
			s.sendReport("deployment_status", deploymentOf("success", fixCommit, ""))
			require.Nil(t, s.showFix()["deployed_at"])
			s.sendReport("deployment_status", deploymentOf("success", headCommit, ""))

			require.NotNil(t, s.showFix()["deployed_at"])
		})
	}
}

func TestSCMPullRequestClosedWithoutMerge(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	closed := pullRequestOf("closed", "Cart", "", `, "merged": false, "merge_commit_sha": null`)
	require.Contains(t, s.sendReport("pull_request", closed), `"ignored":`, "nobody waits for it")
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", s.issue), `{"pr_url": "`+shopPR+`"}`)

	require.JSONEq(t, `{"ok": true, "projects": 1, "closed": "`+shopPR+`"}`, s.sendReport("pull_request", closed))

	require.Equal(t, "fix_pending", s.showIssue()["status"])
	activity := s.sendRequest(t.Context(), http.MethodGet, fmt.Sprintf("/v1/issues/%d/activity?limit=1", s.issue), "", nil)
	require.Contains(t, activity.body, `"actor_type":"system"`)
	require.Contains(t, activity.body, `"action":"issue.note"`)
	require.Contains(t, activity.body, "closed without being merged")
}

func TestSCMIgnores(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	opened := pullRequestOf("opened", "Cart", fmt.Sprintf("Errand-Issue: %d", s.issue), "")
	for name, c := range map[string]struct{ event, body, reason string }{
		"ping":               {"ping", `{"zen": "Keep it logically awesome.", ` + shopRepository + `}`, "ping"},
		"another event":      {"issues", `{` + shopRepository + `}`, "nothing is done on this event"},
		"no event":           {"", `{` + shopRepository + `}`, "names no event"},
		"unknown repository": {"push", strings.ReplaceAll(pushOf("main"), "Acme/Shop", "a/other"), "no project has this repository"},
		"repository elsewhere": {"push", strings.ReplaceAll(pushOf("main"), "//github.com", "//gitlab.example"),
			"not one on github.com (SCM_HOST)"},
		"no repository":      {"push", `{}`, "no project has this repository"},
		"hostile repository": {"push", `{"repository": {"full_name": "acme/shop\u0000' OR 1=1"}}`, ""},
		"pull request elsewhere": {"pull_request", strings.Replace(opened, "github.com/Acme/Shop/pull", "evil.example/Acme/Shop/pull", 1),
			"must be the URL"},
		"of another repository":   {"pull_request", strings.Replace(opened, "Acme/Shop/pull", "acme/other/pull", 1), "must be a pull request of"},
		"failed deployment":       {"deployment_status", deploymentOf("failure", fixCommit, ""), "has not succeeded"},
		"deployment of no commit": {"deployment_status", deploymentOf("success", "main", ""), "must be a commit SHA"},
		"long SHA":                {"deployment_status", deploymentOf("success", fixCommit+"0", ""), "must be a commit SHA"},
		"short SHA":               {"deployment_status", deploymentOf("success", "abc123", ""), "must be a commit SHA"},
		"blank environment":       {"deployment_status", deploymentOf("success", fixCommit, " "), "must not be blank"},
		"invisible environment":   {"deployment_status", deploymentOf("success", fixCommit, "\u202e\u200b"), "must not be blank"},
	} {
		t.Run(name, func(t *testing.T) {
			var answer struct {
				OK      bool
				Ignored string
			}
			require.NoError(t, json.Unmarshal([]byte(s.sendReportAs(name, c.event, c.body)), &answer))
			require.True(t, answer.OK)
			require.NotEmpty(t, answer.Ignored)
			require.Contains(t, answer.Ignored, c.reason)
		})
	}
	require.Equal(t, "unresolved", s.showIssue()["status"])
}

// TestSCMEnvironmentsAreCleanedAsEverywhere checks that a deployment has the same environment as a deploy with that name.
func TestSCMEnvironmentsAreCleanedAsEverywhere(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	for n, c := range []struct{ environment, want string }{
		{" staging ", "staging"},
		{"pro\u200bduction\u202e", "production"},
		{"\u00a0eu\u00ad-1", "eu-1"},
		{strings.Repeat("x", 65), strings.Repeat("x", 64)},
	} {
		commit := fmt.Sprintf("%040x", 0xabc0+n)
		var delivered struct {
			Deploys []struct{ Environment string }
		}
		body := s.sendReport("deployment_status", deploymentOf("success", commit, c.environment))
		require.NoError(t, json.Unmarshal([]byte(body), &delivered), body)
		require.Len(t, delivered.Deploys, 1, body)
		require.Equal(t, c.want, delivered.Deploys[0].Environment)
		if len(c.environment) > 64 {
			continue // too long for create_deploy
		}
		args, err := json.Marshal(map[string]string{"project": "web-shop", "commit": commit, "environment": c.environment})
		require.NoError(t, err)
		require.Equal(t, c.want, s.postAsAdmin(t, "/v1/deploys", string(args))["environment"])
	}
}

// TestSCMDeploymentOfAMaskedCommit masks the commit, which is the release, with a pattern. The release still matches its events.
func TestSCMDeploymentOfAMaskedCommit(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	got := s.sendRequest(t.Context(), http.MethodPatch, "/v1/projects/web-shop", "", strings.NewReader(`{"scrub_patterns": ["[0-9a-f]{8,}"]}`))
	require.Equal(t, http.StatusOK, got.status, got.body)
	s.linkCommit(fixCommit)

	body := s.sendReport("deployment_status", deploymentOf("success", fixCommit, "production"))

	require.Contains(t, body, `"release":"[Filtered]"`)
	require.Contains(t, body, fmt.Sprintf(`"fixes_deployed":[%d]`, s.issue))
	event := fmt.Sprintf(`{"message": "cart cannot be loaded", "release": %q, "environment": "production"}`, fixCommit)
	got = s.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", s.key, strings.NewReader(event))
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Equal(t, "regressed", s.showIssue()["status"])
}

func TestSCMRefuses(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	body := pushOf("main", commitOf(fixCommit, fmt.Sprintf("Errand-Issue: %d", s.issue)))
	for name, signature := range map[string]string{
		"none": "", "empty": "sha256=", "of another body": signBody(body + " "),
		"SHA-1": "sha1=" + signBody(body)[7:47], "bare": signBody(body)[7:],
		"not hex": "sha256=" + strings.Repeat("zz", 32),
	} {
		t.Run(name, func(t *testing.T) {
			got := s.postHook(strings.NewReader(body), "X-GitHub-Event", "push", "X-GitHub-Delivery", name, "X-Hub-Signature-256", signature)
			require.Equal(t, http.StatusUnauthorized, got.status)
			require.JSONEq(t, `{"error": "invalid_signature"}`, got.body)
			require.Empty(t, got.header.Get("WWW-Authenticate"))
		})
	}
	require.Equal(t, "unresolved", s.showIssue()["status"])
	got := s.postHook(strings.NewReader("payload={}"), "X-Scm-Event", "push", "X-Scm-Signature-256", signBody("payload={}"))
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Contains(t, got.body, `"error":"invalid_request"`)
	require.Equal(t, http.StatusMethodNotAllowed, s.sendRequest(t.Context(), http.MethodGet, "/hooks/scm", "", nil).status)
	s.stopServer(t)
	require.NotContains(t, s.log.String(), scmSecret)
}

func TestSCMSizes(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	exact := pushOf("main")
	exact += strings.Repeat(" ", scm.MaxBody-len(exact))
	require.JSONEq(t, `{"ok": true, "projects": 1, "commits": 0}`, s.sendReport("push", exact))

	over := exact + " "
	for name, reader := range map[string]io.Reader{
		"measured": strings.NewReader(over), "chunked": io.MultiReader(strings.NewReader(over), &bytes.Buffer{}),
	} {
		got := s.postHook(reader, "X-Scm-Event", "push", "X-Scm-Delivery", name, "X-Scm-Signature-256", signBody(over))
		require.Equal(t, http.StatusRequestEntityTooLarge, got.status, name)
		require.JSONEq(t, fmt.Sprintf(`{"error": "payload_too_large", "max_bytes": %d}`, scm.MaxBody), got.body)
	}

	const many = 1001
	commits := make([]string, many)
	for i := range commits {
		commits[i] = commitOf(fmt.Sprintf("%040x", i), fmt.Sprintf("Errand-Issue: %d\nErrand-Issue: %d", s.issue, i))
	}
	require.Contains(t, s.sendReport("push", pushOf("main", commits...)), fmt.Sprintf(`"projects":1,"commits":%d`, many))
	require.Equal(t, fmt.Sprintf("%040x", many-1), s.showFix()["commit"], "the last commit is the fix")
}

func TestSCMReportsActOnce(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	const duplicate = `{"ok": true, "duplicate": true}`
	deploy := strings.Replace(deploymentOf("success", fixCommit, "production"), `{"state"`,
		`{"id": 7, "created_at": "2026-03-14T12:30:00Z", "state"`, 1)

	require.Contains(t, s.sendReportAs("a", "deployment_status", deploy), `"deploys":[`)
	require.JSONEq(t, duplicate, s.sendReportAs("a", "deployment_status", deploy))
	require.JSONEq(t, duplicate, s.sendReportAs("b", "deployment_status", deploy), "the same status under another id")
	require.JSONEq(t, duplicate, s.sendReportAs("b", "push", pushOf("main")))
	byHand := deploymentOf("success", headCommit, "production")
	require.Contains(t, s.sendReportAs("e", "deployment_status", byHand), `"deploys":[`)
	require.JSONEq(t, duplicate, s.sendReportAs("f", "deployment_status", byHand), "without any id")
	again := strings.NewReplacer(`"sha"`, `"id": 9, "sha"`, `{"state"`, `{"id": 8, "state"`).Replace(byHand)
	require.Contains(t, s.sendReportAs("g", "deployment_status", strings.Replace(again, "success", "in_progress", 1)), "ignored")
	require.Contains(t, s.sendReportAs("h", "deployment_status", again), `"deploys":[`)
	require.JSONEq(t, duplicate, s.sendReportAs("i", "deployment_status", strings.Replace(again, `"id": 8`, `"id": 10`, 1)),
		"the same deployment succeeds again")
	require.Contains(t, s.sendReportAs("ping", "ping", `{}`), "ignored")
	require.JSONEq(t, duplicate, s.sendReportAs("ping", "ping", `{}`))

	// A delivery that no project wanted can be sent again when one wants it.
	other := strings.ReplaceAll(pushOf("main"), "Acme/Shop", "acme/other")
	require.Contains(t, s.sendReportAs("c", "push", other), "ignored")
	s.postAsAdmin(t, "/v1/projects", `{"name": "Other"}`)
	s.setRepository("other")
	require.Contains(t, s.sendReportAs("c", "push", pushOf("main")), `"projects":2`)

	got := s.sendRequest(t.Context(), http.MethodGet, "/v1/releases", "", nil)
	require.Equal(t, 3, strings.Count(got.body, `"source":"scm"`))
}

func TestSCMTogether(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.postAsAdmin(t, "/v1/projects", `{"name": "Other"}`)
	s.setRepository("other")
	const times = 8
	body := deploymentOf("success", fixCommit, "production")
	answers := make([]answer, times)
	errs := storetest.RunTogether(times, func(i int) error {
		answers[i] = s.postHook(strings.NewReader(body), "X-GitHub-Event", "deployment_status", "X-GitHub-Delivery", "one",
			"X-Hub-Signature-256", signBody(body))
		return answers[i].err
	})
	storetest.RequireNoErrors(t, errs)
	deploys := 0
	for _, got := range answers {
		require.Equal(t, http.StatusOK, got.status, got.body)
		deploys += strings.Count(got.body, `"project_id"`)
	}
	require.Equal(t, 2, deploys, "one in each project")
}

// Wrong signatures are limited by address. The right one still works.
func TestSCMForgeriesAreLimited(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	const before = 100 // as many as may fail in a burst
	forged := signBody("something else")
	for range before {
		got := s.postHook(strings.NewReader("{}"), "X-Scm-Event", "push", "X-Scm-Signature-256", forged)
		require.Equal(t, http.StatusUnauthorized, got.status)
	}
	got := s.postHook(strings.NewReader("{}"), "X-Scm-Event", "push", "X-Scm-Signature-256", forged)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.NotEmpty(t, got.header.Get("Retry-After"))
	s.sendReport("push", pushOf("main"))
	s.stopServer(t)
	require.Contains(t, s.log.String(), `"authentication failed","failures":101`)
}

func TestSCMWithoutSecret(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))
	body := strings.NewReader("{}")
	got := s.requestOf(t, http.MethodPost, "/hooks/scm", "{}", "X-Scm-Event: push", "X-Scm-Signature-256: "+signBody("{}"))
	unknown := s.sendRequest(t.Context(), http.MethodPost, "/hooks/none", "", body)

	require.Equal(t, http.StatusNotFound, got.status)
	require.Equal(t, unknown.body, got.body)
}

// A first try that fails is not remembered.
func TestSCMFailedReportCanBeRepeated(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	conn := openConnection(t, s.databaseURL)
	_, err := conn.Exec(t.Context(), `ALTER TABLE deploys RENAME TO deploys_away`)
	require.NoError(t, err)
	body := deploymentOf("success", fixCommit, "production")
	got := s.postHook(strings.NewReader(body), "X-Scm-Event", "deployment_status", "X-Scm-Delivery", "d",
		"X-Scm-Signature-256", signBody(body))
	require.Equal(t, http.StatusInternalServerError, got.status)
	_, err = conn.Exec(t.Context(), `ALTER TABLE deploys_away RENAME TO deploys`)
	require.NoError(t, err)

	require.Contains(t, s.sendReportAs("d", "deployment_status", body), `"deploys":[`)
}
