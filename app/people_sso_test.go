package app_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"

	"errand/core"
	"errand/store/storetest"
)

// provider is a provider of OpenID Connect with its own users, all with one password. It can be away.
type provider struct {
	issuer string
	served atomic.Pointer[http.Handler] // nil while it is away

	mu    sync.Mutex
	users map[string]storage.User // by id
}

const providerPassword = "the password at the provider"

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{users: map[string]storage.User{}}
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handler := p.served.Load(); handler != nil {
			(*handler).ServeHTTP(w, r)
			return
		}
		http.Error(w, "away", http.StatusBadGateway)
	}))
	t.Cleanup(listening.Close)
	p.issuer = listening.URL
	return p
}

// begin starts the provider, for a client that is sent back to Errand.
func (p *provider) begin(s *server) {
	clients := map[string]*storage.Client{"errand": storage.WebClient("errand", "the client's secret", s.URL()+"/sign-in/sso/callback")}
	handler := http.Handler(exampleop.SetupServer(p.issuer, storage.NewStorageWithClients(p, clients), nil, false))
	p.served.Store(&handler)
}

// setUser makes or changes a user. The name is the id.
func (p *provider) setUser(id, email string, isVerified bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[id] = storage.User{ID: id, Username: id, Password: providerPassword, Email: email, EmailVerified: isVerified}
}

// GetUserByID implements storage.UserStore.
func (p *provider) GetUserByID(id string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	if user, known := p.users[id]; known {
		return &user
	}
	return nil
}

// GetUserByUsername implements storage.UserStore.
func (p *provider) GetUserByUsername(name string) *storage.User { return p.GetUserByID(name) }

// ExampleClientID implements storage.UserStore.
func (p *provider) ExampleClientID() string { return "service" }

// openSSO starts a server that makes users for example.com, with a provider and the first site admin.
func openSSO(t *testing.T) (s *server, p *provider, databaseURL string) {
	t.Helper()
	databaseURL = storetest.NewURL(t)
	p = newProvider(t)
	c := peopleConfigOn(databaseURL)
	c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = p.issuer, "errand", "the client's secret"
	c.OIDCAllowedDomains = "Example.com, example.org"
	s = startServer(t, c)
	p.begin(s)
	s.newBrowser(t).signUp(s.SignUpLink.Reveal())
	return s, p, databaseURL
}

// visitProvider signs in at the provider, and returns the address that it sends the browser back to.
func (b *browser) visitProvider(id string) string {
	b.Helper()
	begun := b.get("/sign-in/sso?return_to=/docs")
	require.Equal(b, http.StatusSeeOther, begun.status, begun.body)
	target := b.parse(begun.header.Get("Location"))
	require.Equal(b, "S256", target.Query().Get("code_challenge_method"))
	require.NotEmpty(b, target.Query().Get("nonce"))
	form := target.ResolveReference(b.parse(b.get(target.String()).header.Get("Location")))
	require.Equal(b, "/login/username", form.Path)
	entered := b.post(form.String(), "username", id, "password", providerPassword, "id", form.Query().Get("authRequestID"))
	require.Equal(b, http.StatusFound, entered.status, entered.body)
	back := b.get(target.ResolveReference(b.parse(entered.header.Get("Location"))).String()).header.Get("Location")
	require.Contains(b, back, "/sign-in/sso/callback?code=")
	return back
}

func (b *browser) parse(address string) *url.URL {
	b.Helper()
	parsed, err := url.Parse(address)
	require.NoError(b, err)
	return parsed
}

func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	s, p, databaseURL := openSSO(t)
	bob := addUser(t, databaseURL, "bob@elsewhere.example", adminPassword)
	p.setUser("id-carl", "Carl@Example.com", true)
	p.setUser("id-bob", "bob@elsewhere.example", true)
	require.Contains(t, s.newBrowser(t).get("/sign-in").body, "/sign-in/sso?return_to=")
	users := func() (n int) {
		require.NoError(t, openConnection(t, databaseURL).QueryRow(t.Context(), `SELECT count(*) FROM users`).Scan(&n))
		return n
	}
	for range 2 {
		b := s.newBrowser(t)

		got := b.get(b.visitProvider("id-carl"))

		require.Equal(t, http.StatusSeeOther, got.status, got.body)
		require.Equal(t, "/docs", got.header.Get("Location"))
		b.requireSignedIn("carl@example.com")
		require.Equal(t, 3, users(), "he is made once")
	}
	require.NotContains(t, s.newBrowser(t).tryPassword("carl@example.com", "").header, "Set-Cookie", "no password opens the account")

	b := s.newBrowser(t)
	b.get(b.visitProvider("id-bob"))
	b.requireSignedIn("bob@elsewhere.example")
	p.setUser("id-bob", "robert@new.example", true)
	b = s.newBrowser(t)
	b.get(b.visitProvider("id-bob"))
	b.requireSignedIn("bob@elsewhere.example")
	require.Equal(t, 3, users(), "the identity counts, not the address")
	self := readFields(t, b.get("/v1/tokens/current").body)["data"].(map[string]any)
	require.EqualValues(t, bob.ID, self["id"])
	require.NotContains(t, s.log.String(), "the client's secret")
}

// TestSingleSignOnRefuses returns from the provider as somebody who may not sign in.
func TestSingleSignOnRefuses(t *testing.T) {
	t.Parallel()
	s, p, databaseURL := openSSO(t)
	bob, dan := addUser(t, databaseURL, "bob@example.com", ""), addUser(t, databaseURL, "dan@example.com", "")
	rows := storetest.Open(t, databaseURL, time.Now)
	p.setUser("id-bob", bob.EmailAddress, true)
	b := s.newBrowser(t)
	b.get(b.visitProvider("id-bob"))
	b.requireSignedIn(bob.EmailAddress)
	require.NoError(t, rows.DisableUser(t.Context(), core.NewBootstrapActor(), dan.ID))
	for _, somebody := range []struct {
		name, id, email string
		isVerified      bool
		why             string
	}{
		{"an address that is not verified", "id-1", adminEmail, false, "may not be verified"},
		{"no address", "id-2", "", true, "may not be verified"},
		{"another domain", "id-3", "eve@evil.example", true, "no account for you"},
		{"a domain below", "id-4", "eve@sub.example.com", true, "no account for you"},
		{"a domain that ends like it", "id-5", "eve@notexample.com", true, "no account for you"},
		{"two addresses in one", "id-6", "eve@evil.example@example.com", true, "no e-mail address of yours"},
		{"a user who is disabled", "id-7", dan.EmailAddress, true, "no account for you"},
		{"an address that was given to another person", "id-8", bob.EmailAddress, true, "another identity"},
	} {
		p.setUser(somebody.id, somebody.email, somebody.isVerified)
		b := s.newBrowser(t)

		got := b.get(b.visitProvider(somebody.id))

		require.Equal(t, http.StatusForbidden, got.status, somebody.name)
		require.Contains(t, got.body, somebody.why, somebody.name)
		require.Nil(t, b.cookie("errand_session"), somebody.name)
	}
	all, err := rows.ListUsers(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 3, "none was made")
}

// TestVisitsAreOfOneBrowser returns with the parameters of another visit.
func TestVisitsAreOfOneBrowser(t *testing.T) {
	t.Parallel()
	s, p, _ := openSSO(t)
	p.setUser("id-eve", "eve@example.com", true)
	p.setUser("id-ann", adminEmail, true)
	requireRefused := func(b *browser, address, what string) {
		got := b.get(address)
		require.Equal(t, http.StatusForbidden, got.status, what)
		require.Nil(t, b.cookie("errand_session"), what)
	}
	eve, ann := s.newBrowser(t), s.newBrowser(t)
	ofEve := eve.visitProvider("id-eve")
	ofAnn := ann.visitProvider("id-ann")
	requireRefused(s.newBrowser(t), ofEve, "a browser that began no visit")
	requireRefused(ann, ofEve, "the visit of another browser")
	requireRefused(ann, ofAnn, "a visit ends with the first answer")

	ofAnn = ann.visitProvider("id-ann")
	code := ann.parse(ofEve).Query().Get("code")
	back := ann.parse(ofAnn)
	query := back.Query()
	query.Set("code", code)
	back.RawQuery = query.Encode()
	requireRefused(ann, back.String(), "the code of another visit: its verifier is missing")

	for _, path := range []string{"", "?code=x", "?state=&code=x", "?error=access_denied&state=x"} {
		b := s.newBrowser(t)
		b.visitProvider("id-ann")
		requireRefused(b, "/sign-in/sso/callback"+path, path)
	}
	b := s.newBrowser(t)
	again := b.visitProvider("id-ann")
	require.Equal(t, http.StatusSeeOther, b.get(again).status)
	b.post("/sign-out")
	requireRefused(b, again, "a code that comes twice")
}

// TestProviderIsAway starts a server while the provider does not answer.
func TestProviderIsAway(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	c := peopleConfigOn(storetest.NewURL(t))
	c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = p.issuer, "errand", "the client's secret"
	s := startServer(t, c)
	s.newBrowser(t).signUp(s.SignUpLink.Reveal())

	got := s.newBrowser(t).get("/sign-in/sso")

	require.Equal(t, http.StatusServiceUnavailable, got.status)
	require.Contains(t, got.body, "does not answer")
	s.newBrowser(t).signIn(adminEmail, adminPassword)
	p.setUser("id-ann", adminEmail, true)
	p.setUser("id-eve", "eve@example.com", true)
	p.begin(s)
	b := s.newBrowser(t)
	require.Eventually(t, func() bool { return b.get("/sign-in/sso").status == http.StatusSeeOther }, atMost, 100*time.Millisecond)
	b.get(b.visitProvider("id-ann"))
	b.requireSignedIn(adminEmail)
	eve := s.newBrowser(t)
	require.Equal(t, http.StatusForbidden, eve.get(eve.visitProvider("id-eve")).status, "without OIDC_ALLOWED_DOMAINS nobody is made")
	p.served.Store(nil)
	require.Equal(t, http.StatusServiceUnavailable, b.get(b.visitAway()).status)
}

// visitAway begins a visit, and returns the address that a provider would send the browser back to.
func (b *browser) visitAway() string {
	b.Helper()
	begun := b.get("/sign-in/sso")
	require.Equal(b, http.StatusSeeOther, begun.status)
	state := b.parse(begun.header.Get("Location")).Query().Get("state")
	return "/sign-in/sso/callback?" + url.Values{"state": {state}, "code": {"x"}}.Encode()
}
