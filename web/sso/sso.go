// Package sso signs people in by a provider of OpenID Connect: the code flow with PKCE, state and nonce.
package sso

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"errand/core"
)

const (
	// answerWithin is how long the provider has for each answer.
	answerWithin = 10 * time.Second
	// askAgainAfter is how long a provider that is away is left alone.
	askAgainAfter = time.Second
)

// ErrAway says that the provider does not answer, or not as one should.
var ErrAway = errors.New("sso: the provider is away")

// ErrRefused says that the answer of the provider does not sign anybody in: it is of another visit, forged, too old, or about an
// address that is not verified.
var ErrRefused = errors.New("sso: the answer signs nobody in")

// Options says which provider there is. All must be set.
type Options struct {
	Issuer       string // as the provider writes it
	ClientID     string
	ClientSecret core.Secret
	RedirectURL  func() string // where the provider sends people back to
	Clock        core.Clock
}

// Provider is a provider of OpenID Connect. It is asked what it offers when the first person comes, and again until it answers: one
// that is away keeps no server from starting.
type Provider struct {
	Options
	client *http.Client
	known  atomic.Pointer[oidc.Provider]
	turn   chan struct{} // of who asks the provider what it offers
	failed time.Time     // when it did not answer; belongs to who has the turn
}

// New returns the provider, without asking it anything.
func New(o Options) *Provider {
	return &Provider{Options: o, client: &http.Client{Timeout: answerWithin}, turn: make(chan struct{}, 1)}
}

// Visit is what the browser keeps while its person is at the provider.
type Visit struct {
	State    string `json:"state"`    // comes back in the address
	Nonce    string `json:"nonce"`    // comes back in the signed token
	Verifier string `json:"verifier"` // of PKCE
}

// Begin returns a new visit, and the address of the provider to which the browser goes. It returns ErrAway.
func (p *Provider) Begin(ctx context.Context) (Visit, string, error) {
	provider, err := p.findProvider(ctx)
	if err != nil {
		return Visit{}, "", err
	}
	v := Visit{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	return v, p.configure(provider).AuthCodeURL(v.State, oidc.Nonce(v.Nonce), oauth2.S256ChallengeOption(v.Verifier)), nil
}

// Finish returns who has come back from a visit with the state and the code. It returns ErrRefused or ErrAway.
func (p *Provider) Finish(ctx context.Context, v Visit, state, code string) (core.ProviderIdentity, error) {
	if v.State == "" || subtle.ConstantTimeCompare([]byte(state), []byte(v.State)) != 1 {
		return core.ProviderIdentity{}, fmt.Errorf("%w: it is of another visit", ErrRefused)
	}
	provider, err := p.findProvider(ctx)
	if err != nil {
		return core.ProviderIdentity{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := p.configure(provider).Exchange(ctx, code, oauth2.VerifierOption(v.Verifier))
	if err != nil {
		return core.ProviderIdentity{}, describeExchange(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	verified, err := provider.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.Clock}).Verify(ctx, raw)
	if err != nil {
		return core.ProviderIdentity{}, fmt.Errorf("%w: its token: %w", ErrRefused, err)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(v.Nonce)) != 1 {
		return core.ProviderIdentity{}, fmt.Errorf("%w: its token is of another visit", ErrRefused)
	}
	var issuedTo struct {
		Party string `json:"azp"`
	}
	if err := verified.Claims(&issuedTo); err != nil || issuedTo.Party != "" && issuedTo.Party != p.ClientID { // OpenID Connect Core, 3.1.3.7
		return core.ProviderIdentity{}, fmt.Errorf("%w: its token was made for another client (azp)", ErrRefused)
	}
	if strings.TrimSpace(verified.Subject) == "" { // else all people of the provider would be one
		return core.ProviderIdentity{}, fmt.Errorf("%w: its token does not say who has come (sub)", ErrRefused)
	}
	address, err := readAddress(ctx, provider, verified, tokens)
	return core.ProviderIdentity{Issuer: verified.Issuer, Subject: verified.Subject, EmailAddress: address}, err
}

// readAddress returns the verified address of the person. Providers say it in the token, or when they are asked with it.
func readAddress(ctx context.Context, provider *oidc.Provider, verified *oidc.IDToken, tokens *oauth2.Token) (string, error) {
	var said struct {
		Email    string `json:"email"`
		Verified isTrue `json:"email_verified"`
	}
	if err := verified.Claims(&said); err != nil {
		return "", fmt.Errorf("%w: its token cannot be read", ErrRefused)
	}
	if said.Email == "" {
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil {
			return "", fmt.Errorf("%w: it does not say who has come", ErrAway) // the text of err may repeat the answer
		}
		if info.Subject != verified.Subject {
			return "", fmt.Errorf("%w: it speaks of somebody else", ErrRefused)
		}
		said.Email, said.Verified = info.Email, isTrue(info.EmailVerified)
	}
	if said.Email == "" || !said.Verified {
		return "", fmt.Errorf("%w: it has no e-mail address that is verified", ErrRefused)
	}
	return said.Email, nil
}

// isTrue is a boolean that some providers write as a text.
type isTrue bool

// UnmarshalJSON reads true and "true"; everything else is false.
func (b *isTrue) UnmarshalJSON(text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	*b = value == true || value == "true"
	return nil
}

func (p *Provider) configure(provider *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret.Reveal(), Endpoint: provider.Endpoint(), RedirectURL: p.RedirectURL(),
		Scopes: []string{oidc.ScopeOpenID, "email"},
	}
}

// findProvider returns what the provider offers. The first one who comes asks; the others wait for the answer.
func (p *Provider) findProvider(ctx context.Context) (*oidc.Provider, error) {
	if known := p.known.Load(); known != nil {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrAway, ctx.Err())
	}
	if known := p.known.Load(); known != nil {
		return known, nil
	}
	if p.Clock().Sub(p.failed) < askAgainAfter {
		return nil, fmt.Errorf("%w: it did not answer a moment ago", ErrAway)
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.Issuer)
	if err != nil {
		p.failed = p.Clock()
		return nil, fmt.Errorf("%w: %.300s", ErrAway, err.Error()) // it may have answered with a whole page
	}
	p.known.Store(found)
	return found, nil
}

// describeExchange says why the provider gave no token for a code. Of its answer it has the code of the error only.
func describeExchange(err error) error {
	var answer *oauth2.RetrieveError
	if errors.As(err, &answer) && answer.Response.StatusCode < http.StatusInternalServerError {
		return fmt.Errorf("%w: it answers %d %.50q to the code", ErrRefused, answer.Response.StatusCode, answer.ErrorCode)
	}
	return fmt.Errorf("%w: it gives no token for the code", ErrAway)
}
