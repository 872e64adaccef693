package app_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// TestAnOpenPageAsksOnce holds what a page costs that is left open: one statement each time, as long as nothing changes.
func TestAnOpenPageAsksOnce(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	counted, passed := storetest.CountTraffic(t, databaseURL)
	s := startServer(t, peopleConfigOn(counted))
	require.Equal(t, http.StatusSeeOther, s.newBrowser(t).signUp(s.SignUpLink.Reveal()).status)
	key := s.makeProject(t)
	issue := fmt.Sprint("/issues/", s.sendMessage(t, key, "cart cannot be loaded"))
	addMember(t, databaseURL, "member@example.com", core.RoleMember)
	s.sendMessage(t, key, "no stock of the article")

	for _, page := range []string{"/", issue} {
		b := s.openAs(t, "member@example.com")
		address := regexp.MustCompile(`data-live="([^"]*)"`).FindStringSubmatch(b.get(page).body)
		require.NotNil(t, address, page)
		live := html.UnescapeString(address[1])
		first := b.get(live)
		require.Equal(t, http.StatusOK, first.status, first.body)
		b.header.Set("If-None-Match", first.header.Get("ETag"))
		fewest := int64(99)
		for range 5 { // the jobs of the server ask too
			before := passed.Statements.Load()
			require.Equal(t, http.StatusNotModified, b.get(live).status, page)
			fewest = min(fewest, passed.Statements.Load()-before)
		}
		require.EqualValues(t, 1, fewest, page)

		s.postAsAdmin(t, "/v1"+issue+"/resolve", `{}`)
		s.sendMessage(t, key, "one more")
		s.sendMessage(t, key, "another one")
		changed := b.get(live)
		require.Equal(t, http.StatusOK, changed.status, page)
		b.header.Set("If-None-Match", changed.header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, b.get(live).status)

		b.header.Del("If-None-Match")
		require.Equal(t, http.StatusSeeOther, b.post("/sign-out").status)
		b.header.Set("If-None-Match", changed.header.Get("ETag"))
		require.Equal(t, http.StatusUnauthorized, b.get(live).status, "after the end of the session")
		s.postAsAdmin(t, "/v1"+issue+"/unresolve", `{}`)
	}
}
