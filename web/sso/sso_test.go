package sso_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/web/sso"
)

// careless is a provider that says whatever a test wants.
type careless struct {
	issuer string
	key    *rsa.PrivateKey // of its key set

	signer   *rsa.PrivateKey // of its tokens
	claims   map[string]any
	userInfo any
	status   int // of the answer to a code
	noToken  bool
}

func newCareless(t *testing.T) *careless {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	c := &careless{key: key, signer: key, status: http.StatusOK}
	routes := http.NewServeMux()
	listening := httptest.NewServer(routes)
	t.Cleanup(listening.Close)
	c.issuer = listening.URL
	answer := func(path string, body func() any) {
		routes.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if path == "/token" {
				w.WriteHeader(c.status)
			}
			_ = json.NewEncoder(w).Encode(body())
		})
	}
	answer("/.well-known/openid-configuration", func() any {
		return map[string]any{
			"issuer": c.issuer, "authorization_endpoint": c.issuer + "/auth", "token_endpoint": c.issuer + "/token",
			"jwks_uri": c.issuer + "/keys", "userinfo_endpoint": c.issuer + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"},
		}
	})
	answer("/keys", func() any {
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}}
	})
	answer("/token", func() any {
		tokens := map[string]any{"access_token": "opaque", "token_type": "Bearer"}
		if c.status != http.StatusOK {
			tokens["error"] = "invalid_grant"
		}
		if !c.noToken {
			tokens["id_token"] = c.sign(t)
		}
		return tokens
	})
	answer("/userinfo", func() any { return c.userInfo })
	return c
}

// changeSigner has somebody else sign, whose key is not in the key set.
func (c *careless) changeSigner() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	c.signer = key
}

func (c *careless) sign(t *testing.T) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: c.signer, KeyID: "1"}}, nil)
	require.NoError(t, err)
	token, err := jwt.Signed(signer).Claims(c.claims).Serialize()
	require.NoError(t, err)
	return token
}

// answers are what is changed in an answer that signs somebody in, and what comes of it.
var answers = map[string]struct {
	change func(*careless)
	want   error // nil: somebody is signed in
}{
	"nothing":                 {func(*careless) {}, nil},
	"verified as a text":      {func(c *careless) { c.claims["email_verified"] = "true" }, nil},
	"not verified":            {func(c *careless) { c.claims["email_verified"] = false }, sso.ErrRefused},
	"verified is not said":    {func(c *careless) { delete(c.claims, "email_verified") }, sso.ErrRefused},
	"verified as a number":    {func(c *careless) { c.claims["email_verified"] = 1 }, sso.ErrRefused},
	"another nonce":           {func(c *careless) { c.claims["nonce"] = "x" }, sso.ErrRefused},
	"no nonce":                {func(c *careless) { delete(c.claims, "nonce") }, sso.ErrRefused},
	"for another client":      {func(c *careless) { c.claims["aud"] = "another" }, sso.ErrRefused},
	"handed to us":            {func(c *careless) { c.claims["azp"] = "errand" }, nil},
	"handed to another":       {func(c *careless) { c.claims["aud"], c.claims["azp"] = []string{"errand", "other"}, "other" }, sso.ErrRefused},
	"a party that is no name": {func(c *careless) { c.claims["azp"] = 1 }, sso.ErrRefused},
	"of another provider":     {func(c *careless) { c.claims["iss"] = "https://evil.example" }, sso.ErrRefused},
	"nobody is named":         {func(c *careless) { delete(c.claims, "sub") }, sso.ErrRefused},
	"an empty name":           {func(c *careless) { c.claims["sub"] = "" }, sso.ErrRefused},
	"a name of spaces":        {func(c *careless) { c.claims["sub"] = " " }, sso.ErrRefused},
	"a name that is null":     {func(c *careless) { c.claims["sub"] = nil }, sso.ErrRefused},
	"a name that is a number": {func(c *careless) { c.claims["sub"] = 1 }, sso.ErrRefused},
	"nobody is named when it is asked either": {func(c *careless) {
		delete(c.claims, "sub")
		delete(c.claims, "email")
		c.userInfo = map[string]any{"email": "ann@example.com", "email_verified": true}
	}, sso.ErrRefused},
	"run out":                 {func(c *careless) { c.claims["exp"] = time.Now().Add(-time.Minute).Unix() }, sso.ErrRefused},
	"signed by somebody else": {(*careless).changeSigner, sso.ErrRefused},
	"no token":                {func(c *careless) { c.noToken = true }, sso.ErrRefused},
	"the code is refused":     {func(c *careless) { c.status = http.StatusBadRequest }, sso.ErrRefused},
	"the provider fails":      {func(c *careless) { c.status = http.StatusInternalServerError }, sso.ErrAway},
	"the address when it is asked": {func(c *careless) {
		delete(c.claims, "email")
		c.userInfo = map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true}
	}, nil},
	"the address of somebody else": {func(c *careless) {
		delete(c.claims, "email")
		c.userInfo = map[string]any{"sub": "2", "email": "ann@example.com", "email_verified": true}
	}, sso.ErrRefused},
	"an address that is not verified when it is asked": {func(c *careless) {
		delete(c.claims, "email")
		c.userInfo = map[string]any{"sub": "1", "email": "ann@example.com"}
	}, sso.ErrRefused},
	"no answer when it is asked": {func(c *careless) {
		delete(c.claims, "email")
		c.userInfo = "?"
	}, sso.ErrAway},
}

// TestTokensThatSignNobodyIn changes one thing at a time in an answer that signs somebody in.
func TestTokensThatSignNobodyIn(t *testing.T) {
	t.Parallel()
	for name, test := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCareless(t)
			p := sso.New(sso.Options{
				Issuer: c.issuer, ClientID: "errand", ClientSecret: "topsecret", Clock: time.Now,
				RedirectURL: func() string { return "http://errors.example/sign-in/sso/callback" },
			})
			visit, target, err := p.Begin(t.Context())
			require.NoError(t, err)
			asked, err := url.Parse(target)
			require.NoError(t, err)
			require.Equal(t, visit.State, asked.Query().Get("state"))
			require.NotContains(t, target, visit.Verifier)
			require.NotContains(t, target, "topsecret")
			c.claims = map[string]any{
				"iss": c.issuer, "aud": "errand", "sub": "1", "nonce": asked.Query().Get("nonce"), "email": "ann@example.com",
				"email_verified": true, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
			}
			test.change(c)

			found, err := p.Finish(t.Context(), visit, visit.State, "code")

			require.ErrorIs(t, err, test.want)
			if test.want == nil {
				require.Equal(t, core.ProviderIdentity{Issuer: c.issuer, Subject: "1", EmailAddress: "ann@example.com"}, found)
				return
			}
			require.NotContains(t, err.Error(), "topsecret")
			require.NotContains(t, err.Error(), "opaque")
		})
	}
}

func TestStateIsOfTheVisit(t *testing.T) {
	t.Parallel()
	p := sso.New(sso.Options{Issuer: "http://127.0.0.1:1", Clock: time.Now})
	for _, visit := range []sso.Visit{{}, {State: "a"}} {
		_, err := p.Finish(t.Context(), visit, "", "code")
		require.ErrorIs(t, err, sso.ErrRefused)
	}
	_, _, err := p.Begin(t.Context())
	require.ErrorIs(t, err, sso.ErrAway)
}
