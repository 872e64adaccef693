package tools

import (
	"context"
	"crypto/sha256"

	"errand/core"
	"errand/prompts"
	"errand/store"
)

func (t *Tools) createSetupKey(ctx context.Context, call core.Call, _ core.CreateSetupKeyInput) (core.Data[core.CreatedSetupKey], error) {
	value, err := core.NewCredential(t.random, setupPrefix)
	if err != nil {
		return wrapData(core.CreatedSetupKey{}, err)
	}
	hash := sha256.Sum256([]byte(value.Reveal()))
	key, err := t.store.CreateSetupKey(ctx, call.Actor, store.NewSetupKey{Hash: hash[:], Prefix: value.Reveal()[:shownPrefix]})
	return wrapData(core.CreatedSetupKey{
		SetupKey: key, Key: value.Reveal(), Prompt: prompts.RenderSetupKey(t.store.Settings().BaseURL, value),
	}, err)
}
