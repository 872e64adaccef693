//go:build e2e

package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The people of the pages. Ann signs up first, and Ben is a site admin too; Cleo has no team.
const (
	ann, ben, cleo = "ann@example.com", "ben@example.com", "cleo@example.com"
	pagesPassword  = "correct horse battery"
)

// pagesSite is a server with people, and a browser that opens its pages.
type pagesSite struct {
	*server
	browser *browser
}

// TestPages looks at the pages as people do, in one browser. Each subtest is a file.
func TestPages(t *testing.T) {
	if os.Getenv("E2E_BROWSER") == "off" {
		t.Skip("E2E_BROWSER=off leaves out what needs Chromium")
	}
	t.Parallel()
	s := startServerOn(t, newDir(t), "REQUIRE_APPROVAL=delete_project", "WEBHOOK_ALLOW_PRIVATE=127.0.0.1/32")
	site := &pagesSite{s, &browser{ctx: startChromium(t)}}
	t.Run("first run", site.checkFirstRun) // the first user signs up in it, so it is the first
	for _, email := range []string{ben, cleo} {
		site.addPerson(t, email, email == ben)
	}
	for name, check := range map[string]func(*testing.T){
		"looks":            site.checkLooks,
		"keyboard":         site.checkKeyboard,
		"without a script": site.checkWithoutScript,
		"together":         site.checkTogether,
		"hostile texts":    site.checkHostileTexts,
		"other sites":      site.checkOtherSites,
		"life of a fix":    func(t *testing.T) { checkLifeOfFixOnPages(t, site.browser) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// readSignUpLink returns the link with which the first user signs up.
func (s *server) readSignUpLink() string {
	s.t.Helper()
	var link []byte
	require.Eventually(s.t, func() bool { // the file may be written after the line about readiness
		link, _ = os.ReadFile(filepath.Join(s.dataDir, "sign-up-link"))
		return bytes.HasSuffix(link, []byte("\n"))
	}, 10*time.Second, 20*time.Millisecond)
	return strings.TrimSpace(string(link))
}

// addPerson adds a user who signs in with pagesPassword.
func (s *server) addPerson(t *testing.T, email string, isAdmin bool) {
	t.Helper()
	args := []string{"user", "create", "--email", email, "--password-stdin"}
	if isAdmin {
		args = append(args, "--site-admin")
	}
	create := errandCommand(t, s.dataDir, nil, args...)
	create.Stdin = strings.NewReader(pagesPassword)
	text, err := create.CombinedOutput()
	require.NoError(t, err, string(text))
}

// tour is what somebody needs who goes through the pages beside the issues.
type tour struct {
	project  string // its release shop@1.0 is deployed
	request  int64  // of the deletion of another project
	receiver string // the address of a program that takes what a webhook sends
}

// makeTour makes what a tour needs.
func (s *pagesSite) makeTour(t *testing.T, project string) tour {
	t.Helper()
	deploy := `{"project": "` + project + `", "commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", "release": "shop@1.0"}`
	require.Equal(t, http.StatusCreated, s.callAPI(adminToken, "POST", "/v1/deploys", deploy, nil))
	_, old := s.makeProject("Old " + project)
	var held struct {
		ApprovalID int64 `json:"approval_id"`
	}
	require.Equal(t, http.StatusAccepted, s.callAPI(adminToken, "DELETE", "/v1/projects/"+old, "", &held))
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	return tour{project, held.ApprovalID, receiver.URL}
}
