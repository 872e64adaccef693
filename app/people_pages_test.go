package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPageOfAnIssue follows the link in a notification.
func TestPageOfAnIssue(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	key := s.makeProject(t)
	id := s.sendMessage(t, key, "<script>alert(1)</script> of the cart")
	page := fmt.Sprintf("/issues/%d", id)
	b := s.newBrowser(t)

	require.Equal(t, "/sign-in?return_to="+url.QueryEscape(page), b.get(page).header.Get("Location"), "nobody is signed in")
	b.signIn(adminEmail, adminPassword)
	shown := b.get(page)

	require.Equal(t, http.StatusOK, shown.status, shown.body)
	require.Contains(t, shown.header.Get("Content-Type"), "text/html")
	requireHarmless(t, shown.body)
	for _, text := range []string{
		"&lt;script&gt;alert(1)&lt;/script&gt;", "of the only event", "The event has no stack.",
		fmt.Sprintf("Fix issue %d of Errand: %s/issues/%d", id, s.URL(), id),
	} {
		require.Contains(t, shown.body, text)
	}
	for _, unknown := range []string{"/issues/999999", "/issues/0", "/issues/cart", "/issues/-1", "/issues/99999999999999999999"} {
		answer := b.get(unknown)
		require.Equal(t, http.StatusNotFound, answer.status, unknown)
		require.Contains(t, answer.body, "There is no such page here, or you may not see it.", unknown)
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.post(page).status)
}

// TestUnknownPageOfAPerson looks at the page of a path that does not exist, with the top bar for who is signed in.
func TestUnknownPageOfAPerson(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.openAs(t, adminEmail)
	b.header.Set("Accept", "text/html")
	for _, unknown := range []string{"/wp-admin", "/issues/999999"} {
		answer := b.get(unknown)
		require.Equal(t, http.StatusNotFound, answer.status, unknown)
		require.Contains(t, answer.body, `href="/releases"`, unknown)
	}
	stranger := s.newBrowser(t)
	stranger.header.Set("Accept", "text/html")
	require.NotContains(t, stranger.get("/wp-admin").body, `href="/releases"`)
}

// TestUnknownPages asks for pages that do not exist, as a browser and as programs do.
func TestUnknownPages(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	for _, c := range []struct {
		method, path, accept string
		isPage               bool
	}{
		{"GET", "/wp-admin", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true},
		{"HEAD", "/favicon", "text/html", true},
		{"GET", "/wp-admin", "*/*", false},
		{"GET", "/wp-admin", "", false},
		{"GET", "/wp-admin", "application/json, text/html;q=0.0", false},
		{"POST", "/wp-admin", "text/html", false},
		{"GET", "/v1/unknown", "text/html", false},
		{"GET", "/api/unknown", "text/html", false},
		{"GET", "/v1", "text/html", false},
		{"GET", "/v1pages", "text/html", true},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+s.Addr()+c.path, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Accept", c.accept)

		answer := s.doRequest(request)

		require.Equal(t, http.StatusNotFound, answer.status, "%v", c)
		kind := "application/json"
		if c.isPage {
			kind = "text/html; charset=utf-8"
			require.NotEmpty(t, answer.header.Get("Content-Security-Policy"), "%v", c)
		}
		require.Equal(t, kind, answer.header.Get("Content-Type"), "%v", c)
	}
}
