package ingest

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/scrub"
	"errand/store"
)

// How long a project is remembered by its key. Revoking a key and changing a project act within 60 seconds on every
// server (primary API, Limits).
const (
	rememberProject = 30 * time.Second
	rememberUnknown = 5 * time.Second
	maxKeyLength    = 64
)

// project is what ingest knows of a project, with its rules made ready.
type project struct {
	store.Intake
	rules *scrub.Rules
}

// projects remembers projects by their keys.
type projects struct {
	store *store.Store
	clock core.Clock
	known *lru.Cache[string, knownKey]
}

type knownKey struct {
	project *project // nil: the key opens nothing
	until   time.Time
}

func newProjects(s *store.Store, clock core.Clock) *projects {
	known, err := lru.New[string, knownKey](1 << 13)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &projects{store: s, clock: clock, known: known}
}

// find gives the project of an active key, or unauthorized.
func (p *projects) find(ctx context.Context, key string) (*project, error) {
	if key == "" || len(key) > maxKeyLength {
		return nil, core.NewError(core.Unauthorized)
	}
	now := p.clock()
	known, ok := p.known.Get(key)
	if !ok || now.After(known.until) {
		var err error
		if known, err = p.load(ctx, key, now); err != nil {
			return nil, err
		}
		p.known.Add(key, known)
	}
	if known.project == nil {
		return nil, core.NewError(core.Unauthorized)
	}
	return known.project, nil
}

func (p *projects) load(ctx context.Context, key string, now time.Time) (knownKey, error) {
	found, err := p.store.ProjectForKey(ctx, key)
	switch {
	case core.HasCode(err, core.NotFound):
		return knownKey{until: now.Add(rememberUnknown)}, nil
	case err != nil:
		return knownKey{}, err
	}
	rules, err := scrub.New(found.ScrubKeys, found.ScrubPatterns)
	if err != nil {
		return knownKey{}, err // fail closed: nothing is taken in that cannot be scrubbed
	}
	return knownKey{&project{found, rules}, now.Add(rememberProject)}, nil
}
