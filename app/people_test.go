package app_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/passwords"
	"errand/store"
	"errand/store/storetest"
)

// cheap makes hashes of passwords cost next to nothing.
var cheap = passwords.Params{Memory: 64, Passes: 1, Threads: 1}

const (
	adminEmail    = "ann@example.com"
	adminPassword = "ann's own password"
)

// peopleConfigOn is the configuration of a server for tests that sign in.
func peopleConfigOn(databaseURL string) app.Config {
	c := configOn(databaseURL)
	c.PasswordParams = cheap
	return c
}

// openSite starts a server on a new database, with the first site admin.
func openSite(t *testing.T) (s *server, databaseURL string) {
	t.Helper()
	databaseURL = storetest.NewURL(t)
	s = startServer(t, peopleConfigOn(databaseURL))
	got := s.newBrowser(t).signUp(s.SignUpLink.Reveal())
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	return s, databaseURL
}

// addUser adds a user with the password; an empty one means a user without a password.
func addUser(t *testing.T, databaseURL, email string, password string) store.User {
	t.Helper()
	hash := ""
	if password != "" {
		var err error
		hash, err = passwords.New(cheap).Hash(t.Context(), password)
		require.NoError(t, err)
	}
	s := storetest.Open(t, databaseURL, time.Now)
	user, err := s.CreateUser(t.Context(), core.NewBootstrapActor(), store.NewUser{EmailAddress: email, PasswordHash: core.Secret(hash)})
	require.NoError(t, err)
	return user
}

// browser is a person's browser on a server's pages. It follows no redirects.
type browser struct {
	*testing.T
	base   string // of the server
	client *http.Client
	header http.Header // of every request
}

// newBrowser opens a browser without cookies.
func (s *server) newBrowser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{
		Transport: s.client.Transport, Timeout: atMost, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &browser{T: t, base: "http://" + s.Addr(), client: client, header: http.Header{}}
}

// at is the browser at another server of the installation: cookies belong to a host, regardless of the port.
func (b *browser) at(s *server) *browser {
	other := *b
	other.base = "http://" + s.Addr()
	return &other
}

func (b *browser) send(method, path, contentType, body string) answer {
	b.Helper()
	if !strings.HasPrefix(path, "http") {
		path = b.base + path
	}
	request, err := http.NewRequestWithContext(b.Context(), method, path, strings.NewReader(body))
	require.NoError(b, err)
	request.Header = b.header.Clone()
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	got := (&server{client: b.client}).doRequest(request)
	require.NoError(b, got.err)
	return got
}

func (b *browser) get(path string) answer {
	b.Helper()
	return b.send(http.MethodGet, path, "", "")
}

// post sends a form with fields as name, value.
func (b *browser) post(path string, fields ...string) answer {
	b.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.send(http.MethodPost, path, "application/x-www-form-urlencoded", form.Encode())
}

// signUp makes the first site admin by a link.
func (b *browser) signUp(link string) answer {
	b.Helper()
	page := b.get(link)
	require.Equal(b, http.StatusOK, page.status, page.body)
	_, code, _ := strings.Cut(link, "?code=")
	require.Contains(b, page.body, code)
	return b.post("/sign-up", "code", code, "email", " Ann@Example.com ", "password", adminPassword, "repeated", adminPassword)
}

// signIn signs in, and returns the cookie of the session.
func (b *browser) signIn(email, password string) *http.Cookie {
	b.Helper()
	got := b.post("/sign-in", "email", email, "password", password)
	require.Equal(b, http.StatusSeeOther, got.status, got.body)
	require.Equal(b, "/", got.header.Get("Location"))
	return b.cookie("errand_session")
}

// cookie returns the browser's cookie with the name; nil for none.
func (b *browser) cookie(name string) *http.Cookie {
	b.Helper()
	base, err := url.Parse(b.base)
	require.NoError(b, err)
	for _, cookie := range b.client.Jar.Cookies(base) {
		if cookie.Name == name {
			return cookie
		}
	}
	return nil
}

// setCookie puts a cookie into the browser.
func (b *browser) setCookie(cookie *http.Cookie) {
	b.Helper()
	base, err := url.Parse(b.base)
	require.NoError(b, err)
	b.client.Jar.SetCookies(base, []*http.Cookie{cookie})
}

// requireSignedIn checks who is signed in, on the pages and for the API; an empty address means nobody.
func (b *browser) requireSignedIn(email string) {
	b.Helper()
	page, self := b.get("/account"), b.get("/v1/tokens/current")
	if email == "" {
		require.Equal(b, http.StatusSeeOther, page.status)
		require.Equal(b, "/sign-in?return_to=%2Faccount", page.header.Get("Location"))
		require.Equal(b, http.StatusUnauthorized, self.status, self.body)
		return
	}
	require.Equal(b, http.StatusOK, page.status, page.body)
	require.Contains(b, page.body, email)
	require.Equal(b, http.StatusOK, self.status, self.body)
	data := readFields(b.T, self.body)["data"].(map[string]any)
	require.Equal(b, "user", data["type"])
	require.Equal(b, email, data["name"])
}

func TestFirstSignUp(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	first := startServer(t, peopleConfigOn(databaseURL))
	second := startServer(t, peopleConfigOn(databaseURL))
	link := second.SignUpLink.Reveal()
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/sign-up\?code=link_[A-Za-z0-9]{43}$`, link)
	require.NotContains(t, second.log.String(), "link_")

	replaced := first.newBrowser(t).get(first.SignUpLink.Reveal())
	require.Equal(t, http.StatusNotFound, replaced.status, "the second server's link replaces it")
	b := second.newBrowser(t)
	for name, fields := range map[string][]string{
		"too short":        {"email", adminEmail, "password", "short", "repeated", "short"},
		"not the same":     {"email", adminEmail, "password", adminPassword, "repeated", adminPassword + "x"},
		"73 bytes":         {"email", adminEmail, "password", strings.Repeat("p", 73), "repeated", strings.Repeat("p", 73)},
		"no address":       {"email", "ann", "password", adminPassword, "repeated", adminPassword},
		"NUL in the email": {"email", "a\x00nn@example.com", "password", adminPassword, "repeated", adminPassword},
		"nothing":          {},
	} {
		got := b.post("/sign-up", append(fields, "code", strings.Split(link, "=")[1])...)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, name)
		require.Contains(t, got.body, `role="alert"`, name)
		require.NotContains(t, got.body, adminPassword, name)
	}

	got := b.signUp(link)

	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	b.requireSignedIn(adminEmail)
	require.Contains(t, b.get("/account").body, "site admin")
	again := second.newBrowser(t).post("/sign-up", "code", strings.Split(link, "=")[1], "email", "eve@example.com",
		"password", adminPassword, "repeated", adminPassword)
	require.Equal(t, http.StatusNotFound, again.status, "it is for once")
	require.Empty(t, startServer(t, peopleConfigOn(databaseURL)).SignUpLink, "there is a user")
	require.NotContains(t, second.log.String()+first.log.String(), adminPassword)
}

func TestSignUpLinkLastsAnHour(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, peopleConfigOn(databaseURL))
	conn := openConnection(t, databaseURL)
	var kept string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT encode(hash, 'escape') FROM user_links`).Scan(&kept))
	require.NotContains(t, kept, strings.Split(s.SignUpLink.Reveal(), "=")[1], "only its hash is stored")
	_, err := conn.Exec(t.Context(), `UPDATE user_links SET expires_at = expires_at - interval '1 hour'`)
	require.NoError(t, err)

	require.Equal(t, http.StatusNotFound, s.newBrowser(t).get(s.SignUpLink.Reveal()).status)
}

// TestSignUpLinkEndsWithTheFirstUser makes the first user in another way.
func TestSignUpLinkEndsWithTheFirstUser(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, peopleConfigOn(databaseURL))
	require.Equal(t, http.StatusOK, s.newBrowser(t).get(s.SignUpLink.Reveal()).status)
	addUser(t, databaseURL, "jo@example.org", adminPassword)

	require.Equal(t, http.StatusNotFound, s.newBrowser(t).get(s.SignUpLink.Reveal()).status)
}

func TestPagesNeedTheRole(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	pages := startServer(t, peopleConfigOn(databaseURL))
	c := peopleConfigOn(databaseURL)
	c.Roles = "api,worker"
	s := startServer(t, c)
	require.Empty(t, s.SignUpLink)
	b := pages.newBrowser(t)
	b.signUp(pages.SignUpLink.Reveal())

	require.Equal(t, http.StatusOK, b.at(s).get("/v1/tokens/current").status, "a session opens /v1 there, too")
	for _, path := range []string{"/sign-in", "/account", "/sign-up", "/forgot-password", "/issues/1", "/web/gallery"} {
		require.Equal(t, http.StatusNotFound, s.newBrowser(t).get(path).status, path)
	}
}

// TestPagesAreSafe checks the headers of each page.
func TestPagesAreSafe(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.newBrowser(t)
	for _, path := range []string{"/sign-in", "/account", "/sign-up?code=x", "/forgot-password", "/reset-password?code=x", "/sign-out"} {
		got := b.get(path)
		require.Equal(t, "no-store", got.header.Get("Cache-Control"), path)
		require.Equal(t, "same-origin", got.header.Get("Referrer-Policy"), path)
		require.Equal(t, "DENY", got.header.Get("X-Frame-Options"), path)
		policy := got.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.Contains(t, policy, "form-action 'self'", path)
		require.Contains(t, policy, "frame-ancestors 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
	}
	hostile := b.post("/sign-in", "email", `"><script>alert(1)</script>`, "password", "x", "return_to", `/"><img src=x>`)
	require.NotContains(t, hostile.body, "<script>")
	require.NotContains(t, hostile.body, "<img")
	require.Equal(t, "POST", b.get("/sign-out").header.Get("Allow"))
	require.Equal(t, http.StatusMethodNotAllowed, b.send(http.MethodPut, "/sign-in", "", "").status)
	require.Equal(t, http.StatusUnsupportedMediaType, b.send(http.MethodPost, "/sign-in", "text/plain", "email=x").status)
	long := b.send(http.MethodPost, "/sign-in", "application/x-www-form-urlencoded", "email="+strings.Repeat("x", 70<<10))
	require.Equal(t, http.StatusBadRequest, long.status)
}
