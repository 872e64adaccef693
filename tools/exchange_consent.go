package tools

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"slices"

	"errand/core"
	"errand/store"
)

// consentName is the prefix of the name of a client's token, so that a list of tokens shows how the token came to be.
const consentName = "oauth: "

// KeepConsent keeps a person's consent for a client, and returns its code. Whoever may create a token may allow it. A setup key can
// allow what the tokens that it makes may do: the scopes of an agent token, within the key's limit.
func (t *Tools) KeepConsent(ctx context.Context, consent core.Consent) (code core.Secret, err error) {
	if consent.By.IsSetupKey {
		err = checkAgentScopes(consent.Scopes)
	} else {
		err = core.CreateToken.Operation.AuthorizeActor(consent.By)
	}
	if err != nil {
		return "", err
	}
	if consent.By.ProjectID, err = t.findConsentProject(ctx, consent); err != nil {
		return "", err
	}
	var value [32]byte
	if _, err := io.ReadFull(t.random, value[:]); err != nil {
		return "", fmt.Errorf("tools: random source: %w", err)
	}
	code = core.Secret(base64.RawURLEncoding.EncodeToString(value[:]))
	hash := sha256.Sum256([]byte(code.Reveal()))
	return code, t.store.KeepConsent(ctx, hash[:], consent)
}

// findConsentProject returns the project for the token of a consent: the named one, else the credential's. A setup
// key may name only its own apps.
func (t *Tools) findConsentProject(ctx context.Context, consent core.Consent) (core.OptInt, error) {
	switch {
	case consent.Project != "":
		project, err := t.store.FindSetupApp(ctx, consent.By, consent.Project)
		return core.OptInt(project), err
	case consent.OnlyProject:
		return 0, core.RefuseField("project", "must be named for a token that sees nothing else")
	default:
		return consent.By.ProjectID, nil
	}
}

// checkAgentScopes refuses scopes that no agent token has.
func checkAgentScopes(scopes []core.Scope) error {
	for _, scope := range scopes {
		if !slices.Contains(agentScopes, scope) {
			return core.NewError(core.Forbidden).With("required_scope", core.Admin).With("reason",
				fmt.Sprintf("a setup key cannot allow %s: leave it out, or use the admin token", scope))
		}
	}
	return nil
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
