package tools

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"

	"errand/core"
	"errand/store"
)

// consentName stands in front of the name of a token's client: a list of tokens shows how the token came to be.
const consentName = "oauth: "

// KeepConsent keeps what a person allowed a client, and returns the code for it. A credential can allow it that may make tokens.
func (t *Tools) KeepConsent(ctx context.Context, consent core.Consent) (code core.Secret, err error) {
	if !consent.By.Has(core.Admin) {
		return "", core.NewError(core.Forbidden).With("required_scope", core.Admin)
	}
	var value [32]byte
	if _, err := io.ReadFull(t.random, value[:]); err != nil {
		return "", fmt.Errorf("tools: random source: %w", err)
	}
	code = core.Secret(base64.RawURLEncoding.EncodeToString(value[:]))
	hash := sha256.Sum256([]byte(code.Reveal()))
	return code, t.store.KeepConsent(ctx, hash[:], consent)
}

// ExchangeConsent makes the token that a consent allows, once. A code that cannot be exchanged is not_found.
func (t *Tools) ExchangeConsent(ctx context.Context, code core.Secret, shown core.Consent) (core.CreatedToken, error) {
	value, err := core.NewCredential(t.random, tokenPrefix)
	if err != nil {
		return core.CreatedToken{}, err
	}
	codeHash, tokenHash := sha256.Sum256([]byte(code.Reveal())), sha256.Sum256([]byte(value.Reveal()))
	token, err := t.store.ExchangeConsent(ctx, store.Exchange{
		CodeHash: codeHash[:], ClientID: shown.ClientID, RedirectURI: shown.RedirectURI, Challenge: shown.Challenge,
		Token: store.NewToken{Name: consentName, Hash: tokenHash[:], Prefix: value.Reveal()[:shownPrefix]},
	})
	return core.CreatedToken{Token: token, Value: value.Reveal()}, err
}
