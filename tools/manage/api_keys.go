package manage

import (
	"context"
	"crypto/sha256"
	"unicode/utf8"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

// The form of an API key: a prefix, so that a leaked key is recognised, and random characters. Lists show the first characters.
const (
	apiKeyPrefix = "cka_"
	shownPrefix  = 10
	maxName      = 100 // characters
)

// CreateAPIKey makes an API key and returns its value, which is stored nowhere.
func (t *Handlers) CreateAPIKey(ctx context.Context, actor core.Actor, name string, words []string) (core.Secret, error) {
	if err := core.CheckName("name", name); err != nil {
		return "", err
	}
	if utf8.RuneCountInString(name) > maxName {
		return "", core.RefuseField("name", "must be at most %d characters", maxName)
	}
	permissions, err := manage.ReadPermissions(words)
	if err != nil {
		return "", err
	}
	value, err := core.NewCredential(t.Random, apiKeyPrefix)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(value.Reveal()))
	_, err = t.Store.CreateAPIKey(ctx, actor, store.NewAPIKey{
		Name: name, Hash: hash[:], Prefix: value.Reveal()[:shownPrefix], Permissions: permissions,
	})
	return value, err
}

// Authenticate returns the actor behind an API key, or unauthorized.
func (t *Handlers) Authenticate(ctx context.Context, key core.Secret) (core.Actor, error) {
	if !key.LooksLike(apiKeyPrefix) {
		return core.Actor{}, core.NewError(core.Unauthorized)
	}
	hash := sha256.Sum256([]byte(key.Reveal()))
	found, err := t.Store.UseAPIKey(ctx, hash[:])
	if core.HasCode(err, core.NotFound) {
		return core.Actor{}, core.NewError(core.Unauthorized)
	}
	return core.Actor{
		Type: core.ActorToken, ID: core.OptInt(found.ID), Name: "API key " + found.Name, Scopes: found.Permissions,
		Prefix: core.Text(found.Prefix),
	}, err
}
