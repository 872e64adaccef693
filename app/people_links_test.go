package app_test

import (
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify/notifytest"
	"errand/store/storetest"
)

// mailed is a server that sends mails to a real mail server.
type mailed struct {
	*server
	mails       *notifytest.MailServer
	databaseURL string
}

func openMailed(t *testing.T) *mailed {
	t.Helper()
	m := &mailed{mails: notifytest.NewMailServer(t, notifytest.MailOptions{NoSTARTTLS: true}), databaseURL: storetest.NewURL(t)}
	c := peopleConfigOn(m.databaseURL)
	c.TrustedProxies, c.BaseURL = "127.0.0.1/32", "http://errors.example"
	c.SMTPURL, c.EmailFrom = m.mails.URL(), "Errand <errand@example.com>"
	m.server = startServer(t, c)
	_, code, _ := strings.Cut(m.SignUpLink.Reveal(), "?code=")
	got := m.newBrowser(t).post("/sign-up", "code", code, "email", adminEmail, "password", adminPassword, "repeated", adminPassword)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	return m
}

var linkInMail = regexp.MustCompile(`http://errors\.example(/reset-password\?code=(link_[A-Za-z0-9]{43}))\n`)

// ask asks for a new password.
func (m *mailed) ask(t *testing.T, from, email string) answer {
	t.Helper()
	b := m.newBrowser(t).from(from)
	b.header.Set("X-Forwarded-Host", "evil.example")
	return b.post("/forgot-password", "email", email)
}

// waitForLink returns the path and the code of the nth mail's link.
func (m *mailed) waitForLink(t *testing.T, n int) (path, code string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(m.mails.Mails()) >= n }, atMost, every)
	taken := m.mails.Mails()[n-1]
	require.Equal(t, "errand@example.com", taken.From)
	require.Equal(t, adminEmail, taken.To)
	message, err := mail.ReadMessage(strings.NewReader(taken.Text))
	require.NoError(t, err)
	require.Equal(t, "[Errand] Set a new password", message.Header.Get("Subject"))
	text, err := io.ReadAll(quotedprintable.NewReader(message.Body))
	require.NoError(t, err)
	link := linkInMail.FindStringSubmatch(strings.ReplaceAll(string(text), "\r\n", "\n"))
	require.NotNil(t, link, string(text))
	return link[1], link[2]
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	m := openMailed(t)
	const newPassword = "ann's other password"
	signedIn := m.newBrowser(t)
	signedIn.signIn(adminEmail, adminPassword)
	for range 10 {
		m.newBrowser(t).tryPassword(adminEmail, "wrong")
	}

	require.Equal(t, http.StatusOK, m.ask(t, "203.0.113.1", " ANN@Example.com").status)

	path, code := m.waitForLink(t, 1)
	b := m.newBrowser(t)
	page := b.get(path)
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.body, adminEmail)
	require.Equal(t, http.StatusOK, b.get(path).status, "looking does not use it up")
	for why, password := range map[string]string{"at least 10": "short", "neither your current password": adminPassword} {
		got := b.post("/reset-password", "code", code, "password", password, "repeated", password)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, why)
	}
	set := b.post("/reset-password", "code", code, "password", newPassword, "repeated", newPassword)
	require.Equal(t, http.StatusSeeOther, set.status, set.body)
	b.requireSignedIn(adminEmail)
	signedIn.requireSignedIn("")
	m.newBrowser(t).signIn(adminEmail, newPassword)
	require.Equal(t, http.StatusNotFound, b.get(path).status, "it is for once")
	again := m.newBrowser(t).post("/reset-password", "code", code, "password", "yet another one", "repeated", "yet another one")
	require.Equal(t, http.StatusNotFound, again.status)
	require.NotContains(t, m.log.String(), "link_")
	require.NotContains(t, m.log.String(), newPassword)
}

// TestLinksEnd checks that links end in time, after another change of the password, and for disabled users.
func TestLinksEnd(t *testing.T) {
	t.Parallel()
	m := openMailed(t)
	conn := openConnection(t, m.databaseURL)
	m.ask(t, "203.0.113.1", adminEmail)
	path, code := m.waitForLink(t, 1)
	_, err := conn.Exec(t.Context(), `UPDATE user_links SET expires_at = expires_at - interval '1 hour'`)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, m.newBrowser(t).get(path).status)
	got := m.newBrowser(t).post("/reset-password", "code", code, "password", "a new password", "repeated", "a new password")
	require.Equal(t, http.StatusNotFound, got.status)

	m.ask(t, "203.0.113.1", adminEmail)
	path, _ = m.waitForLink(t, 2)
	b := m.newBrowser(t)
	b.signIn(adminEmail, adminPassword)
	b.post("/account/password", "present_password", adminPassword, "password", "a new password", "repeated", "a new password")
	require.Equal(t, http.StatusNotFound, m.newBrowser(t).get(path).status, "the password was changed since")

	m.ask(t, "203.0.113.1", adminEmail)
	path, code = m.waitForLink(t, 3)
	rows := storetest.Open(t, m.databaseURL, time.Now)
	ann, err := rows.FindUserByEmail(t.Context(), adminEmail)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE users SET disabled_at = now() WHERE id = $1`, ann.ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, m.newBrowser(t).get(path).status)
	got = m.newBrowser(t).post("/reset-password", "code", code, "password", "another password", "repeated", "another password")
	require.Equal(t, http.StatusNotFound, got.status)
	for _, wrong := range []string{"", "x", "link_", "link_" + strings.Repeat("a", 43), code + "x", "\x00"} {
		require.Equal(t, http.StatusNotFound, m.newBrowser(t).post("/reset-password", "code", wrong, "password", "1234567890", "repeated",
			"1234567890").status, "%q", wrong)
	}
}

// TestAskingForPasswordsTellsNothing compares the answers, and counts the mails.
func TestAskingForPasswordsTellsNothing(t *testing.T) {
	t.Parallel()
	m := openMailed(t)
	addUser(t, m.databaseURL, "elsewhere@example.com", "")
	want := m.ask(t, "203.0.113.1", adminEmail)
	for i, email := range []string{
		"nobody@example.com", "elsewhere@example.com", "not an address", "", "\x00", adminEmail + "\r\nBcc: eve@example.com",
	} {
		got := m.ask(t, fmt.Sprintf("203.0.113.%d", 2+i), email)
		require.Equal(t, want.status, got.status, "%q", email)
		require.Equal(t, want.body, got.body, "%q", email)
	}
	for range 19 {
		require.Equal(t, want.body, m.ask(t, "203.0.113.1", adminEmail).body)
	}
	limited := m.ask(t, "203.0.113.1", adminEmail)
	require.Equal(t, http.StatusTooManyRequests, limited.status)
	require.NotEmpty(t, limited.header.Get("Retry-After"))
	bob := addUser(t, m.databaseURL, "bob@example.com", adminPassword)
	m.ask(t, "203.0.113.200", bob.EmailAddress)
	m.waitForMailTo(t, bob.EmailAddress)

	require.Len(t, m.mails.Mails(), 4, "three to one account in an hour, and bob's, which was asked for last")
}

func (m *mailed) waitForMailTo(t *testing.T, address string) {
	t.Helper()
	require.Eventually(t, func() bool {
		mails := m.mails.Mails()
		return len(mails) > 0 && mails[len(mails)-1].To == address
	}, atMost, every)
}

// TestMailServerIsAway asks while no mail can be sent.
func TestMailServerIsAway(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	c := peopleConfigOn(databaseURL)
	c.SMTPURL, c.EmailFrom = core.Secret("smtp://127.0.0.1:1"), "errand@example.com"
	s := startServer(t, c)
	s.newBrowser(t).signUp(s.SignUpLink.Reveal())

	require.Equal(t, http.StatusOK, s.newBrowser(t).post("/forgot-password", "email", adminEmail).status)

	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "the mail for a new password was not sent") }, atMost, every)
	require.NotContains(t, s.log.String(), "link_")
}

func TestForgottenPasswordWithoutMail(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	require.Contains(t, s.newBrowser(t).get("/sign-in").body, `<a href="/forgot-password">Forgot your password?</a>`)
	require.Contains(t, s.newBrowser(t).get("/forgot-password").body, "errand user reset-password")
	require.Equal(t, http.StatusNotFound, s.newBrowser(t).post("/forgot-password", "email", adminEmail).status)
}
