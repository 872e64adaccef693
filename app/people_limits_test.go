package app_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/passwords"
	"errand/store/storetest"
)

// openBehindProxy starts servers with the first site admin, which trust the tests about the origin of requests.
func openBehindProxy(t *testing.T, databaseURL string) *server {
	t.Helper()
	c := peopleConfigOn(databaseURL)
	c.TrustedProxies = "127.0.0.1/32"
	return startServer(t, c)
}

// from sets the address that a browser's requests come from.
func (b *browser) from(address string) *browser {
	b.header.Set("X-Forwarded-For", address)
	return b
}

// tryPassword tries to sign in, and returns the answer.
func (b *browser) tryPassword(email, password string) answer {
	b.Helper()
	return b.post("/sign-in", "email", email, "password", password)
}

// TestWrongSignInsLookAlike compares the answers for an unknown address, a wrong password, and users who may not sign in.
func TestWrongSignInsLookAlike(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	addUser(t, databaseURL, "elsewhere@example.com", "")
	disabled := addUser(t, databaseURL, "disabled@example.com", adminPassword)
	_, err := openConnection(t, databaseURL).Exec(t.Context(), `UPDATE users SET disabled_at = now() WHERE id = $1`, disabled.ID)
	require.NoError(t, err)
	want := s.newBrowser(t).tryPassword(adminEmail, "wrong")
	require.Equal(t, http.StatusUnprocessableEntity, want.status)
	for _, try := range [][2]string{
		{"nobody@example.com", adminPassword}, {"elsewhere@example.com", ""}, {"elsewhere@example.com", adminPassword},
		{"disabled@example.com", adminPassword}, {adminEmail, ""}, {adminEmail, adminPassword + "\x00"},
		{adminEmail, strings.Repeat("p", 10_000)},
		{"", ""}, {"\x00", "\x00"}, {"\xff@example.com", "x"}, {"%", "%"}, {adminEmail + "\x00", adminPassword},
	} {
		got := s.newBrowser(t).tryPassword(try[0], try[1])
		require.Equal(t, want.status, got.status, "%q", try)
		require.Contains(t, got.body, "The e-mail address or the password is wrong.", "%q", try)
		require.Empty(t, got.header.Values("Set-Cookie"), "%q", try)
	}
}

// TestAttemptsOfOneAccount counts attempts on two servers together.
func TestAttemptsOfOneAccount(t *testing.T) {
	t.Parallel()
	here, databaseURL := openSite(t)
	there := startServer(t, peopleConfigOn(databaseURL))
	for i := range 10 {
		got := []*server{here, there}[i%2].newBrowser(t).tryPassword(adminEmail, "wrong")
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
	}
	for _, password := range []string{"wrong", adminPassword} {
		got := there.newBrowser(t).tryPassword(" ANN@example.com ", password)
		require.Equal(t, http.StatusTooManyRequests, got.status, "a right one too, so that it does not show")
		wait, err := strconv.Atoi(got.header.Get("Retry-After"))
		require.NoError(t, err)
		require.InDelta(t, 15*60, wait, 60)
		require.Contains(t, got.body, "Try again in 15 minutes")
	}
	_, err := openConnection(t, databaseURL).Exec(t.Context(), `UPDATE sign_in_attempts SET since = since - interval '15 minutes'`)
	require.NoError(t, err)

	here.newBrowser(t).signIn(adminEmail, adminPassword)

	for range 9 {
		require.Equal(t, http.StatusUnprocessableEntity, here.newBrowser(t).tryPassword(adminEmail, "wrong").status)
	}
	here.newBrowser(t).signIn(adminEmail, adminPassword)
	require.Equal(t, http.StatusUnprocessableEntity, here.newBrowser(t).tryPassword(adminEmail, "wrong").status, "it began anew")
}

// TestAttemptsOfOneAddress tries many accounts.
func TestAttemptsOfOneAddress(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := openBehindProxy(t, databaseURL)
	s.newBrowser(t).signUp(s.SignUpLink.Reveal())
	for i := range 50 {
		s.newBrowser(t).from("2001:db8::1").signIn(adminEmail, adminPassword)
		got := s.newBrowser(t).from(fmt.Sprintf("2001:db8::%x", i)).tryPassword(fmt.Sprintf("user%d@example.com", i), "wrong")
		require.Equal(t, http.StatusUnprocessableEntity, got.status, "%d", i)
	}
	require.Equal(t, http.StatusTooManyRequests, s.newBrowser(t).from("2001:db8::abcd:1").tryPassword("new@example.com", "wrong").status,
		"all addresses of a /64 are one sender's")
	require.Equal(t, http.StatusUnprocessableEntity, s.newBrowser(t).from("2001:db8:0:1::1").tryPassword("new@example.com", "wrong").status)
}

// TestFloodOfAttempts tries 1,000 passwords from 10 addresses on one account, while its owner signs in.
func TestFloodOfAttempts(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := openBehindProxy(t, databaseURL)
	owner := s.newBrowser(t).from("198.51.100.7")
	owner.signUp(s.SignUpLink.Reveal())
	owner.signIn(adminEmail, adminPassword)
	var refused, wrong atomic.Int64
	var senders sync.WaitGroup
	for sender := range 8 {
		senders.Go(func() {
			b := s.newBrowser(t)
			for i := sender; i < 1_000; i += 8 {
				switch got := b.from(fmt.Sprintf("203.0.113.%d", i%10)).tryPassword(adminEmail, fmt.Sprint("guess ", i)); got.status {
				case http.StatusTooManyRequests:
					refused.Add(1)
				case http.StatusUnprocessableEntity:
					wrong.Add(1)
				}
			}
		})
	}
	owner.signIn(adminEmail, adminPassword) // during the flood
	senders.Wait()

	require.EqualValues(t, 10, wrong.Load(), "each is a hash that was computed")
	require.EqualValues(t, 990, refused.Load())
	owner.post("/sign-out")
	owner.signIn(adminEmail, adminPassword)
	require.Equal(t, http.StatusTooManyRequests, s.newBrowser(t).from("198.51.100.7").tryPassword(adminEmail, adminPassword).status,
		"in a new browser the owner waits, or asks for a new password")
	for range 9 {
		require.Equal(t, http.StatusUnprocessableEntity, owner.tryPassword(adminEmail, "wrong").status)
	}
	owner.signIn(adminEmail, adminPassword)
	for range 10 {
		require.Equal(t, http.StatusUnprocessableEntity, owner.tryPassword(adminEmail, "wrong").status)
	}
	require.Equal(t, http.StatusTooManyRequests, owner.tryPassword(adminEmail, adminPassword).status, "the browser has a limit of its own")
}

// TestDevicesAreOfOneAccount shows the device secret of one account to another account, and forged secrets.
func TestDevicesAreOfOneAccount(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	addUser(t, databaseURL, "eve@example.com", adminPassword)
	eve := s.newBrowser(t)
	eve.signIn("eve@example.com", adminPassword)
	for range 10 {
		require.Equal(t, http.StatusUnprocessableEntity, s.newBrowser(t).tryPassword(adminEmail, "wrong").status)
	}
	require.Equal(t, http.StatusTooManyRequests, eve.tryPassword(adminEmail, "wrong").status)
	ofEve := eve.cookie("errand_device").Value
	for _, forged := range []string{"", "x", strings.Repeat("A", 67), ofEve[:66] + "_", ofEve + "=", ofEve + ofEve} {
		b := s.newBrowser(t)
		b.setCookie(&http.Cookie{Name: "errand_device", Value: forged, Path: "/"})
		require.Equal(t, http.StatusTooManyRequests, b.tryPassword(adminEmail, adminPassword).status, "%q", forged)
	}
}

// TestHashesAreUpgraded signs in with a hash that has other parameters.
func TestHashesAreUpgraded(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	conn := openConnection(t, databaseURL)
	old, err := passwords.New(passwords.Params{Memory: 32, Passes: 1, Threads: 1}).Hash(t.Context(), adminPassword)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE users SET password_hash = $1`, old)
	require.NoError(t, err)
	b := s.newBrowser(t)

	b.signIn(adminEmail, adminPassword)

	b.requireSignedIn(adminEmail)
	var hash string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT password_hash FROM users`).Scan(&hash))
	require.Contains(t, hash, "$m=64,t=1,p=1$")
	s.newBrowser(t).signIn(adminEmail, adminPassword)
}

// TestChangingThePassword tries every kind of new password that is refused.
func TestChangingThePassword(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.newBrowser(t)
	b.signIn(adminEmail, adminPassword)
	change := func(present, password, repeated string) answer {
		return b.post("/account/password", "present_password", present, "password", password, "repeated", repeated)
	}
	require.Contains(t, b.get("/account").body, "<label>Current password<")
	present := adminPassword
	for i := range 5 {
		next := fmt.Sprintf("password number %d", i)
		require.Equal(t, http.StatusSeeOther, change(present, next, next).status)
		present = next
	}
	const notRecent = "neither your current password nor one of the 5 before it"
	for why, got := range map[string]answer{
		"current password is wrong": change("wrong", "quite a new one", "quite a new one"),
		"at least 10 characters":    change(present, "too short", "too short"),
		"at most 72 bytes":          change(present, strings.Repeat("p", 73), strings.Repeat("p", 73)),
		"same in both fields":       change(present, "quite a new one", "quite a new oNe"),
		notRecent:                   change(present, present, present),
		notRecent + " ":             change(present, adminPassword, adminPassword),
	} {
		require.Equal(t, http.StatusUnprocessableEntity, got.status, why)
		require.Contains(t, got.body, strings.TrimSpace(why))
		b.requireSignedIn(adminEmail)
	}
	require.Equal(t, http.StatusSeeOther, change(present, "ümlauts and 語 and more", "ümlauts and 語 and more").status)
	require.Equal(t, http.StatusSeeOther, change("ümlauts and 語 and more", adminPassword, adminPassword).status, "5 are remembered")
	require.Equal(t, http.StatusSeeOther, s.newBrowser(t).post("/account/password").status, "nobody is signed in")
	for range 10 {
		require.Equal(t, http.StatusUnprocessableEntity, change("wrong", "quite a new one", "quite a new one").status)
	}
	require.Equal(t, http.StatusTooManyRequests, change(adminPassword, "quite a new one", "quite a new one").status)
}
