package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"time"

	"errand/core"
	"errand/store/pg"
)

const (
	// consentLasts is how long a code may be exchanged (RFC 6749, 4.1.2, allows ten minutes).
	consentLasts = time.Minute
	// keepConsents is how long a second use of a code is recognised.
	keepConsents = 24 * time.Hour
)

const (
	insertConsent = `
INSERT INTO consents (code_hash, expires_at, actor_type, actor_id, actor_name, is_setup_key, project_id, client_hash, client_name,
	redirect_uri, challenge, scopes, only_project)
VALUES (@code_hash, @expires_at, @actor_type, @actor_id, @actor_name, @is_setup_key, @project_id, @client_hash, @client_name,
	@redirect_uri, @challenge, @scopes, @only_project)`
	lockConsent = `
SELECT expires_at, token_id, actor_type, actor_id, actor_name, is_setup_key, project_id, client_hash, client_name, redirect_uri,
	challenge, scopes, only_project
FROM consents WHERE code_hash = @code_hash
FOR UPDATE`
	useConsent     = `UPDATE consents SET token_id = @token_id WHERE code_hash = @code_hash`
	deleteConsents = `DELETE FROM consents WHERE expires_at < @before`
	findLiveToken  = `SELECT id FROM tokens WHERE id = @id AND revoked_at IS NULL`
	findLiveAdmin  = `SELECT id FROM users WHERE id = @id AND site_admin AND disabled_at IS NULL`
)

// KeepConsent keeps a person's consent until its code, given as SHA-256, is exchanged. It returns limit for a setup key
// that has no tokens left to make, so that the person learns about it, and not just the client.
func (s *Store) KeepConsent(ctx context.Context, codeHash []byte, c core.Consent) error {
	clientHash := sha256.Sum256([]byte(c.ClientID))
	return s.inTx(ctx, func(t *tx) error {
		if c.By.IsSetupKey {
			if _, err := t.lockTokenMaker(ctx, c.By); err != nil {
				return err
			}
		}
		_, err := pg.Exec(ctx, t, insertConsent, pg.Args{
			"code_hash": codeHash, "expires_at": t.Now.Add(consentLasts), "is_setup_key": c.By.IsSetupKey,
			"actor_type": string(c.By.Type), "actor_id": int64(c.By.ID), "actor_name": c.By.Name, "project_id": int64(c.By.ProjectID),
			"client_hash": clientHash[:], "client_name": c.ClientName, "redirect_uri": c.RedirectURI, "challenge": c.Challenge,
			"scopes": c.Scopes, "only_project": c.OnlyProject,
		})
		return err
	})
}

// Exchange is what a client presents to get the token of a consent.
type Exchange struct {
	CodeHash    []byte // SHA-256 of the code
	ClientID    string
	RedirectURI string
	Challenge   string // computed from the client's verifier
	Token       NewToken
}

// ExchangeConsent makes the token of a consent, once, with the scopes and the project that were allowed. The token's name
// begins with the client's name and ends with Token.Name. A code that is unknown, expired, of another client, or presented
// with another redirect or verifier is not_found. So is the second use of a code, which also revokes the token: the code
// may have been stolen (RFC 6749, 4.1.2).
func (s *Store) ExchangeConsent(ctx context.Context, e Exchange) (core.Token, error) {
	var token core.Token
	isRefused := false
	err := s.inTx(ctx, func(t *tx) (err error) {
		consent, err := pg.QueryOne[consentRow](ctx, t, lockConsent, pg.Args{"code_hash": e.CodeHash})
		switch {
		case err != nil:
			return err
		case consent.TokenID != 0:
			isRefused = true // the revocation below must be kept
			return t.revokeStolen(ctx, consent)
		case !t.Now.Before(consent.ExpiresAt) || !consent.isOf(e):
			return core.NewError(core.NotFound)
		}
		token, err = t.exchangeConsent(ctx, consent, e)
		return err
	})
	if err == nil && isRefused {
		err = core.NewError(core.NotFound)
	}
	return token, err
}

type consentRow struct {
	ExpiresAt   time.Time
	TokenID     int64
	ActorType   core.ActorType
	ActorID     int64
	ActorName   string
	IsSetupKey  bool
	ProjectID   int64
	ClientHash  []byte
	ClientName  string
	RedirectURI string `db:"redirect_uri"`
	Challenge   string
	Scopes      []core.Scope
	OnlyProject bool
}

// isOf reports whether the consent was given to the client that presents its code. A redirect need not be presented: the verifier
// already binds the code to the client (OAuth 2.1 has no redirect_uri here).
func (c consentRow) isOf(e Exchange) bool {
	clientHash := sha256.Sum256([]byte(e.ClientID))
	return bytes.Equal(c.ClientHash, clientHash[:]) && (e.RedirectURI == "" || e.RedirectURI == c.RedirectURI) && c.Challenge == e.Challenge
}

func (c consentRow) actor() core.Actor {
	return core.Actor{
		Type: c.ActorType, ID: core.OptInt(c.ActorID), Name: c.ActorName, ProjectID: core.OptInt(c.ProjectID), IsSetupKey: c.IsSetupKey,
	}
}

// exchangeConsent makes the token, unless the credential that gave the consent was revoked since, the person is no site admin any longer,
// or it was a setup key that has expired or has no tokens left.
func (t *tx) exchangeConsent(ctx context.Context, consent consentRow, e Exchange) (core.Token, error) {
	if err := t.checkAllower(ctx, consent); err != nil {
		return core.Token{}, err
	}
	made := e.Token
	made.Name, made.Scopes, made.ProjectID = made.Name+consent.ClientName, consent.Scopes, consent.ProjectID
	made.OnlyProject = consent.OnlyProject
	token, err := t.createToken(ctx, consent.actor(), made)
	if core.HasCode(err, core.Unauthorized) { // about the setup key; the client has presented no credential
		err = core.NewError(core.NotFound)
	}
	if err != nil {
		return core.Token{}, err
	}
	_, err = pg.Exec(ctx, t, useConsent, pg.Args{"code_hash": e.CodeHash, "token_id": token.ID})
	return token, err
}

// checkAllower returns not_found when the token or the person behind a consent may not give it any longer.
func (t *tx) checkAllower(ctx context.Context, consent consentRow) error {
	statement := findLiveToken
	switch {
	case consent.ActorType == core.ActorUser:
		statement = findLiveAdmin
	case consent.ActorType != core.ActorToken || consent.IsSetupKey:
		return nil
	}
	_, err := pg.QueryOne[struct{ ID int64 }](ctx, t, statement, pg.Args{"id": consent.ActorID})
	return err
}

func (t *tx) revokeStolen(ctx context.Context, consent consentRow) error {
	n, err := pg.Exec(ctx, t, revokeToken, pg.Args{"id": consent.TokenID, "now": t.Now})
	if err != nil || n == 0 {
		return err
	}
	return t.recordRevoked(ctx, core.NewSystemActor("oauth"), consent.TokenID)
}

// DropConsents deletes codes that nobody can exchange any longer.
func (s *Store) DropConsents(ctx context.Context) error {
	_, err := pg.Exec(ctx, s.db.Main, deleteConsents, pg.Args{"before": s.Now().Add(-keepConsents)})
	return err
}
