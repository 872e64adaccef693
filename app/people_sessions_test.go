package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	b := s.newBrowser(t)
	b.requireSignedIn("")

	cookie := b.signIn(" ANN@example.com", adminPassword)

	b.requireSignedIn(adminEmail)
	require.Len(t, cookie.Value, 43)
	conn := openConnection(t, databaseURL)
	found, err := conn.Query(t.Context(), `SELECT encode(hash, 'hex') || encode(data, 'escape') FROM sessions`)
	require.NoError(t, err)
	kept, err := pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotContains(t, strings.Join(kept, " "), cookie.Value)
	var signedIn bool
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT last_logged_in_at IS NOT NULL FROM users`).Scan(&signedIn))
	require.True(t, signedIn)
	require.Equal(t, "/docs", b.get("/sign-in?return_to=/docs").header.Get("Location"), "who is signed in goes on")

	thief := s.newBrowser(t)
	thief.setCookie(cookie)
	thief.requireSignedIn(adminEmail)
	out := b.post("/sign-out")
	require.Equal(t, "/sign-in", out.header.Get("Location"))
	b.requireSignedIn("")
	thief.requireSignedIn("")
	require.NotContains(t, s.log.String(), cookie.Value)
	require.NotContains(t, s.log.String(), adminPassword)
}

func TestCookiesOfSessions(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	got := s.newBrowser(t).post("/sign-in", "email", adminEmail, "password", adminPassword)
	for _, cookie := range got.header.Values("Set-Cookie") {
		require.Regexp(t, `^errand_(session|device)=\S+; Path=/; Max-Age=\d+; HttpOnly; SameSite=(Lax|Strict)$`, cookie)
	}

	databaseURL := storetest.NewURL(t)
	c := peopleConfigOn(databaseURL)
	c.BaseURL = "https://errors.example"
	behindTLS := startServer(t, c)
	require.True(t, strings.HasPrefix(behindTLS.SignUpLink.Reveal(), "https://errors.example/sign-up?code="))
	b := behindTLS.newBrowser(t)
	b.header.Set("Origin", "https://errors.example") // the proxy may have changed the host's name
	code := strings.Split(behindTLS.SignUpLink.Reveal(), "=")[1]
	got = b.post("/sign-up", "code", code, "email", adminEmail, "password", adminPassword, "repeated", adminPassword)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	const want = `^__Host-errand_session=[\w-]{43}; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$`
	require.Regexp(t, want, got.header.Get("Set-Cookie"))
}

// TestSessionFixation signs in with a cookie that somebody else has put into the browser.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	addUser(t, databaseURL, "eve@example.com", adminPassword)
	eve := s.newBrowser(t)
	for name, planted := range map[string]*http.Cookie{
		"a session of eve's":  eve.signIn("eve@example.com", adminPassword),
		"a token of no row":   {Name: "errand_session", Value: strings.Repeat("a", 43), Path: "/"},
		"no token at all":     {Name: "errand_session", Value: "../../x", Path: "/"},
		"a very long nothing": {Name: "errand_session", Value: strings.Repeat("a", 5000), Path: "/"},
	} {
		t.Run(name, func(t *testing.T) {
			b := s.newBrowser(t)
			b.setCookie(planted)

			own := b.signIn(adminEmail, adminPassword)

			require.NotEqual(t, planted.Value, own.Value)
			b.requireSignedIn(adminEmail)
			other := s.newBrowser(t)
			other.setCookie(planted)
			other.requireSignedIn("")
		})
	}
	first := eve.signIn("eve@example.com", adminPassword)
	require.NotEqual(t, first.Value, eve.signIn("eve@example.com", adminPassword).Value)
}

// TestSessionsEnd moves the clock of the rows.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	b := s.newBrowser(t)
	b.signIn(adminEmail, adminPassword)
	conn := openConnection(t, databaseURL)
	expiresIn := func() time.Duration {
		var at time.Time
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT max(expires_at) FROM sessions`).Scan(&at))
		return time.Until(at)
	}
	move := func(by string) {
		_, err := conn.Exec(t.Context(), `UPDATE sessions SET expires_at = expires_at + $1::interval`, by)
		require.NoError(t, err)
	}
	require.InDelta(t, 12*time.Hour, expiresIn(), float64(time.Minute))

	move("-11 hours")
	b.requireSignedIn(adminEmail)
	require.InDelta(t, 12*time.Hour, expiresIn(), float64(time.Minute), "it is used")
	move("-30 seconds")
	b.requireSignedIn(adminEmail)
	require.Less(t, expiresIn(), 12*time.Hour-20*time.Second, "using it is written down once a minute")
	move("-12 hours")
	b.requireSignedIn("")

	require.NoError(t, storetest.Open(t, databaseURL, time.Now).DropSignIns(t.Context()))
	var rows int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM sessions`).Scan(&rows))
	require.Zero(t, rows)
}

// TestSessionsStopOnEveryServer ends sessions on one server and asks another one.
func TestSessionsStopOnEveryServer(t *testing.T) {
	t.Parallel()
	here, databaseURL := openSite(t)
	there := startServer(t, peopleConfigOn(databaseURL))
	bob := addUser(t, databaseURL, "bob@example.com", adminPassword)
	rows := storetest.Open(t, databaseURL, time.Now)
	const newPassword = "another password of bob's"
	password := adminPassword
	for _, end := range []struct {
		name string
		do   func(b *browser)
		own  string // who is still signed in in the browser that made the change
	}{
		{"sign-out", func(b *browser) { b.post("/sign-out") }, ""},
		{"sign-out everywhere", func(b *browser) { b.post("/account/sign-out-everywhere") }, ""},
		{"another password", func(b *browser) {
			got := b.post("/account/password", "present_password", adminPassword, "password", newPassword, "repeated", newPassword)
			require.Equal(t, "/account?changed", got.header.Get("Location"), got.body)
			require.Contains(t, b.get("/account?changed").body, "changed")
			password = newPassword
		}, "bob@example.com"},
		{"disabling", func(*browser) {
			require.NoError(t, rows.DisableUser(t.Context(), core.NewBootstrapActor(), bob.ID))
		}, ""},
	} {
		b, elsewhere := here.newBrowser(t), there.newBrowser(t)
		cookie := b.signIn("bob@example.com", password)
		elsewhere.setCookie(cookie)
		elsewhere.requireSignedIn("bob@example.com")

		end.do(b)

		elsewhere.requireSignedIn("")
		b.at(there).requireSignedIn(end.own)
	}
	got := there.newBrowser(t).post("/sign-in", "email", "bob@example.com", "password", newPassword)
	require.Equal(t, http.StatusUnprocessableEntity, got.status, "he is disabled")
	require.NoError(t, rows.EnableUser(t.Context(), core.NewBootstrapActor(), bob.ID))
	there.newBrowser(t).signIn("bob@example.com", newPassword)
}

// TestSignOutEverywhereEndsOthers covers the other sessions of a person.
func TestSignOutEverywhereEndsOthers(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	addUser(t, databaseURL, "bob@example.com", adminPassword)
	home, work, bob := s.newBrowser(t), s.newBrowser(t), s.newBrowser(t)
	home.signIn(adminEmail, adminPassword)
	work.signIn(adminEmail, adminPassword)
	bob.signIn("bob@example.com", adminPassword)

	home.post("/account/sign-out-everywhere")

	home.requireSignedIn("")
	work.requireSignedIn("")
	bob.requireSignedIn("bob@example.com")
	require.Equal(t, http.StatusSeeOther, s.newBrowser(t).post("/account/sign-out-everywhere").status, "nobody is signed in: nothing to do")
}

// TestCrossSitePosts sends forms from another site with the cookies of a person who is signed in.
func TestCrossSitePosts(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.newBrowser(t)
	b.signIn(adminEmail, adminPassword)
	foreign := map[string]http.Header{
		"Sec-Fetch-Site":           {"Sec-Fetch-Site": {"cross-site"}},
		"a site of the same owner": {"Sec-Fetch-Site": {"same-site"}, "Origin": {"http://other.example.com"}},
		"Origin alone":             {"Origin": {"https://evil.example"}},
		"no origin":                {"Origin": {"null"}},
		"another port":             {"Origin": {"http://127.0.0.1:1"}},
	}
	for name, header := range foreign {
		b.header = header
		for path, fields := range map[string][]string{
			"/sign-in":                     {"email", adminEmail, "password", adminPassword},
			"/sign-out":                    nil,
			"/account/sign-out-everywhere": nil,
			"/account/password":            {"present_password", adminPassword, "password", "a new password", "repeated", "a new password"},
			"/forgot-password":             {"email", adminEmail},
			"/sign-up":                     {"code", "x"},
			"/reset-password":              {"code", "x"},
		} {
			got := b.post(path, fields...)
			require.Equal(t, http.StatusForbidden, got.status, "%s: %s", name, path)
			require.Empty(t, got.header.Values("Set-Cookie"), "%s: %s", name, path)
		}
		made := b.send(http.MethodPost, "/v1/projects", "text/plain", `{"name":"Shop"}`)
		require.Equal(t, http.StatusForbidden, made.status, name)
		require.JSONEq(t, `{"error":"forbidden","reason":"another site has asked for it"}`, made.body, name)
		require.Equal(t, http.StatusOK, b.get("/account").status, "%s: reading changes nothing", name)
	}
	for name, header := range map[string]http.Header{
		"the page itself": {"Sec-Fetch-Site": {"same-origin"}, "Origin": {s.URL()}},
		"a program":       {},
		"an old browser":  {"Origin": {s.URL()}},
	} {
		b.header = header
		require.Equal(t, http.StatusCreated, b.send(http.MethodPost, "/v1/projects", "application/json", `{"name":"Shop"}`).status, name)
	}
}

// TestSessionsAndTokens shows where a cookie counts: at /v1, without a token.
func TestSessionsAndTokens(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	addUser(t, databaseURL, "bob@example.com", adminPassword)
	b := s.newBrowser(t)
	b.signIn("bob@example.com", adminPassword)

	require.Equal(t, http.StatusForbidden, b.get("/v1/tokens").status, "bob is no site admin")
	require.Equal(t, http.StatusUnauthorized, b.send(http.MethodPost, "/mcp", "application/json", `{}`).status)
	b.header.Set("Authorization", "Bearer "+adminToken)
	self := readFields(t, b.get("/v1/tokens/current").body)["data"].(map[string]any)
	require.Equal(t, "admin_token", self["type"])
	for _, wrong := range []string{"Bearer ck_wrong", "Bearer", "Basic x", ""} {
		b.header["Authorization"] = []string{wrong}
		require.Equal(t, http.StatusUnauthorized, b.get("/v1/tokens/current").status, "a cookie does not stand in for %q", wrong)
	}
}

// TestGoingBackAfterSignIn asks to be sent to other sites after signing in.
func TestGoingBackAfterSignIn(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	for wanted, goes := range map[string]string{
		"/docs": "/docs", "/account?x=1": "/account?x=1", "/a/b#c": "/a/b#c", "": "/",
		"//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/", "https://evil.example": "/",
		"/\t/evil.example": "/", "/\n/evil.example": "/", "\t//evil.example": "/", "evil.example": "/",
		"javascript:alert(1)": "/", "///evil.example": "/", "/%2f/evil.example/%5c": "/", "/%5cevil.example": "/",
		"/\x00": "/", "/ü": "/", "/" + strings.Repeat("a", 3000): "/", "http:/evil.example": "/",
	} {
		got := s.newBrowser(t).post("/sign-in", "email", adminEmail, "password", adminPassword, "return_to", wanted)
		require.Equal(t, http.StatusSeeOther, got.status, got.body)
		require.Equal(t, goes, got.header.Get("Location"), "%q", wanted)
	}
	got := s.newBrowser(t).get("/sign-in?return_to=//evil.example")
	require.NotContains(t, got.body, "evil.example")
}
