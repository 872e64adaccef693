package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestSCMOfGiteaWithoutTLS reports a push in Gitea's order, and a pull request, from a host on plain HTTP.
func TestSCMOfGiteaWithoutTLS(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	c.SCMWebhookSecret, c.BaseURL, c.SCMHost = scmSecret, "https://errand.example", "git.local:3000"
	s := &scmShop{server: startServer(t, c), T: t}
	s.key = s.makeProject(t)
	s.setRepository("web-shop")
	s.issue = s.sendEvent(t, s.key)
	report := func(event, body string) string {
		body = strings.ReplaceAll(body, "https://github.com/", "http://git.local:3000/")
		return s.sendReport(event, strings.ReplaceAll(body, "/pull/", "/pulls/"))
	}

	report("push", pushOf("cart", commitOf(headCommit, s.marker()), commitOf(fixCommit, s.marker())))
	require.Equal(t, headCommit, s.showFix()["commit"], "the newest comes first")
	report("pull_request", pullRequestOf("opened", "Cart", s.marker(), fromRepository))
	require.Equal(t, "https://git.local:3000/acme/shop/pull/42", s.showFix()["pr_url"])

	path := fmt.Sprintf("/v1/issues/%d/fix", s.issue)
	link := func(url string) answer {
		return s.sendRequest(t.Context(), http.MethodPost, path, "", strings.NewReader(fmt.Sprintf(`{"pr_url": %q}`, url)))
	}
	require.Contains(t, link("https://git.local:3000/acme/shop/pulls/7").body, `"https://git.local:3000/acme/shop/pull/7"`)
	got := link("http://git.local:3000/acme/shop/pulls/7")
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Contains(t, got.body, "git.local:3000/\\u003cowner\\u003e/\\u003crepo\\u003e/pulls/")
}
