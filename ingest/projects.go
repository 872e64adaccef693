package ingest

import (
	"context"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"errand/core"
	"errand/scrub"
	"errand/store"
)

// How long a project is remembered by its key. Revoking a key and changing a project act within 60 seconds on every
// server (primary API, Limits), also while the database is away.
const (
	rememberProject = 30 * time.Second
	trustProject    = 60 * time.Second // while the database is away
	rememberUnknown = 5 * time.Second
	lookUpAtMost    = 5 * time.Second
	maxKeyLength    = 64
	maxLookUps      = 4 // at once, so that a flood of unknown keys leaves connections to everybody else
)

// project is what ingest knows of a project, with its rules made ready.
type project struct {
	store.IntakeProject
	rules   *scrub.Rules
	origins map[string]bool // nil: any
	askedAt time.Time       // when the database was asked
}

// projects remembers projects by their keys, or by their ids. Unknown ones are remembered apart, so that somebody who tries
// keys does not push the real ones out.
type projects struct {
	waitAtMost time.Duration
	ask        func(ctx context.Context, key string) (store.IntakeProject, error) // the database
	clock      core.Clock
	failures   Failures
	known      *lru.Cache[string, *project]
	unknown    *lru.Cache[string, time.Time] // when the database was asked
	lookUps    singleflight.Group
	turns      chan struct{} // one for each look-up that goes on
}

func newProjects(ask func(context.Context, string) (store.IntakeProject, error), o Options, turns chan struct{}) *projects {
	return &projects{
		waitAtMost: waitAtMost, ask: ask, clock: o.Clock, failures: o.Failures, turns: turns,
		known: must(lru.New[string, *project](1 << 13)), unknown: must(lru.New[string, time.Time](1 << 12)),
	}
}

// find returns the project of an active key, or unauthorized. While the database is away it waits. Who fails too often waits
// for a turn when the key is not known; one that was good lately is looked up for everybody.
func (p *projects) find(ctx context.Context, key string) (*project, error) {
	if !isKey(key) {
		return nil, core.NewError(core.Unauthorized)
	}
	now := p.clock()
	known, ok := p.known.Get(key)
	if ok && now.Sub(known.askedAt) < rememberProject {
		return known, nil
	}
	if askedAt, ok := p.unknown.Get(key); ok && now.Sub(askedAt) < rememberUnknown {
		return nil, core.NewError(core.Unauthorized)
	}
	ctx, cancel := context.WithTimeout(ctx, p.waitAtMost)
	defer cancel()
	if !ok {
		end, err := p.failures.TakeTurn(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	var found *project
	err := hold(ctx, func() (err error) {
		found, err = p.lookUp(key)
		if core.HasCode(err, core.Unavailable) && known != nil && now.Sub(known.askedAt) < trustProject {
			found, err = known, nil
		}
		return err
	})
	return found, err
}

// isKey reports whether a text may be a key at all: short and of visible ASCII.
func isKey(text string) bool {
	return text != "" && len(text) <= maxKeyLength && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// lookUp asks the database, once for all who ask for the same key at the same time.
func (p *projects) lookUp(key string) (*project, error) {
	found, err, _ := p.lookUps.Do(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), lookUpAtMost)
		defer cancel()
		select {
		case p.turns <- struct{}{}:
			defer func() { <-p.turns }()
		case <-ctx.Done():
			return nil, core.NewError(core.Unavailable).Because(ctx.Err())
		}
		askedAt := p.clock()
		intake, err := p.ask(ctx, key)
		if core.HasCode(err, core.NotFound) {
			p.known.Remove(key)
			p.unknown.Add(key, askedAt)
			return nil, core.NewError(core.Unauthorized)
		}
		if err != nil {
			return nil, err
		}
		rules, err := scrub.New(intake.ScrubKeys, intake.ScrubPatterns)
		if err != nil {
			return nil, err // fail closed: nothing is taken in that cannot be scrubbed
		}
		found := &project{intake, rules, origins(intake.AllowedOrigins), askedAt}
		p.known.Add(key, found)
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*project), nil
}

// byID asks for a project by its id as it stands in a path.
func byID(s *store.Store) func(context.Context, string) (store.IntakeProject, error) {
	return func(ctx context.Context, path string) (store.IntakeProject, error) {
		id, err := strconv.ParseInt(path, 10, 64)
		if err != nil || strconv.FormatInt(id, 10) != path {
			return store.IntakeProject{}, core.NewError(core.NotFound)
		}
		return s.ReadIntakeProject(ctx, id)
	}
}
