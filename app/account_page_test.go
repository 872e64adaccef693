package app_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPreferencesBelongToThePerson changes preferences in one browser and sees them in another one, and nobody else does.
func TestPreferencesBelongToThePerson(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	addUser(t, databaseURL, "bob@example.com", adminPassword)
	b, elsewhere, bob := s.openAs(t, adminEmail), s.openAs(t, adminEmail), s.openAs(t, "bob@example.com")
	require.NotContains(t, b.get("/").body, `data-keys="off"`)

	page := b.follow("/account/preferences", "keys", "off", "zone", "Europe/Berlin", "frames", "oldest")

	require.Contains(t, page, "Kept for all your browsers.")
	require.Contains(t, page, `<option value="oldest" selected>`)
	for _, browser := range []*browser{b, elsewhere} {
		require.Contains(t, browser.get("/").body, `<html lang="en" data-zone="Europe/Berlin" data-keys="off">`)
	}
	require.Contains(t, bob.get("/account").body, `<html lang="en">`)

	refused := b.post("/account/preferences", "zone", `"><script>`, "frames", "sideways")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status, refused.body)
	requireHarmless(t, refused.body)
	refused = b.post("/account/preferences", "zone", "Berlin Mitte", "keys", "on")
	require.Contains(t, refused.body, "The field zone must be a name of the IANA, such as Europe/Berlin, or empty.")
	require.Contains(t, refused.body, `value="Berlin Mitte"`, "what was typed is still there")
	require.Contains(t, b.get("/").body, `data-zone="Europe/Berlin"`)
	b.setCookie(&http.Cookie{Name: "errand_flash", Value: "bm90IGpzb24"})
	require.Equal(t, http.StatusOK, b.get("/").status)
}

// TestSessionsOneByOne ends one session on the page, and then all others.
func TestSessionsOneByOne(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	addUser(t, databaseURL, "bob@example.com", adminPassword)
	bob := s.openAs(t, "bob@example.com")
	open := func(agent string) *browser {
		b := s.newBrowser(t)
		b.header.Set("User-Agent", agent)
		b.signIn("bob@example.com", adminPassword)
		return b
	}
	phone := open("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 " +
		"Mobile/15E148 Safari/604.1")
	laptop := open("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0")
	open(`"><script>alert(1)</script>`)

	page := bob.get("/account").body

	requireHarmless(t, page)
	require.Equal(t, 1, strings.Count(page, "this one"))
	for _, text := range []string{"Safari 18 on iPhone", "Firefox 145 on Linux", "from 127.0.0.1"} {
		require.Contains(t, page, text)
	}
	id := regexp.MustCompile(`value="(\d+)" aria-label="Sign out Safari 18 on iPhone"`).FindStringSubmatch(page)
	require.NotNil(t, id, page)
	ann := s.openAs(t, adminEmail)
	require.Equal(t, http.StatusNotFound, ann.post("/account/sessions/end", "id", id[1]).status, "it is bob's")
	phone.requireSignedIn("bob@example.com")

	require.Contains(t, bob.follow("/account/sessions/end", "id", id[1]), "That browser is signed out.")
	phone.requireSignedIn("")
	laptop.requireSignedIn("bob@example.com")

	require.Contains(t, bob.follow("/account/sessions/end", "id", "others"), "You are signed in nowhere else.")
	laptop.requireSignedIn("")
	bob.requireSignedIn("bob@example.com")
	ann.requireSignedIn(adminEmail)
	for _, wrong := range []string{"", "x", "0"} {
		require.Equal(t, http.StatusNotFound, bob.post("/account/sessions/end", "id", wrong).status, wrong)
	}
}

// TestEndingTheOwnSession signs out as the button of that name does.
func TestEndingTheOwnSession(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.openAs(t, adminEmail)
	own := regexp.MustCompile(`"id":(\d+),"current":true`).FindStringSubmatch(b.get("/v1/account/sessions").body)
	require.NotNil(t, own)

	got := b.post("/account/sessions/end", "id", own[1])

	require.Equal(t, "/sign-in", got.header.Get("Location"))
	b.requireSignedIn("")
}
