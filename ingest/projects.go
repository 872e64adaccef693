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

// How long a project is remembered by its key. A revoked key and a changed project take effect within 60 seconds on every server
// (primary API, Limits), also while the database is away.
const (
	rememberProject = 30 * time.Second
	trustProject    = 60 * time.Second // while the database is away
	rememberUnknown = 5 * time.Second
	lookUpAtMost    = 5 * time.Second
	maxKeyLength    = 64
	maxLookUps      = 4 // concurrently, so that a flood of unknown keys leaves connections to everybody else
)

// knownProject is a project as ingest knows it, with its rules compiled.
type knownProject struct {
	store.IntakeProject
	rules   *scrub.Rules
	origins map[string]bool // nil: any
	askedAt time.Time       // when the database was asked
}

// projects remembers projects by their keys, or by their ids. Unknown keys are remembered separately, so that somebody who tries
// keys does not push the real ones out.
type projects struct {
	waitAtMost    time.Duration
	askDatabase   func(ctx context.Context, key string) (store.IntakeProject, error) // the query
	clock         core.Clock
	failures      Failures
	knownProjects *lru.Cache[string, *knownProject]
	unknownKeys   *lru.Cache[string, time.Time] // when the database was asked
	lookUps       singleflight.Group
	lookUpTurns   chan struct{} // one for each look-up in progress
}

func newProjects(ask func(context.Context, string) (store.IntakeProject, error), o Options, turns chan struct{}) *projects {
	return &projects{
		waitAtMost: waitAtMost, askDatabase: ask, clock: o.Clock, failures: o.Failures, lookUpTurns: turns,
		knownProjects: mustMake(lru.New[string, *knownProject](1 << 13)), unknownKeys: mustMake(lru.New[string, time.Time](1 << 12)),
	}
}

// findProject returns the project of an active key, or unauthorized. While the database is away it waits. An address that fails
// too often waits for a turn, unless the key was good lately.
func (p *projects) findProject(ctx context.Context, key string) (*knownProject, error) {
	if !isKey(key) {
		return nil, core.NewError(core.Unauthorized)
	}
	now := p.clock()
	remembered, isRemembered := p.knownProjects.Get(key)
	if isRemembered && now.Sub(remembered.askedAt) < rememberProject {
		return remembered, nil
	}
	if askedAt, ok := p.unknownKeys.Get(key); ok && now.Sub(askedAt) < rememberUnknown {
		return nil, core.NewError(core.Unauthorized)
	}
	ctx, cancel := context.WithTimeout(ctx, p.waitAtMost)
	defer cancel()
	if !isRemembered {
		end, err := p.failures.TakeTurn(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	var found *knownProject
	err := retryWhileAway(ctx, func() (err error) {
		found, err = p.lookUp(key)
		if core.HasCode(err, core.Unavailable) && isRemembered && now.Sub(remembered.askedAt) < trustProject {
			found, err = remembered, nil
		}
		return err
	})
	return found, err
}

// isKey reports whether a text can be a key: short and of visible ASCII.
func isKey(text string) bool {
	return text != "" && len(text) <= maxKeyLength && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// lookUp asks the database, once for all requests that ask for the same key at the same time.
func (p *projects) lookUp(key string) (*knownProject, error) {
	found, err, _ := p.lookUps.Do(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), lookUpAtMost)
		defer cancel()
		select {
		case p.lookUpTurns <- struct{}{}:
			defer func() { <-p.lookUpTurns }()
		case <-ctx.Done():
			return nil, core.NewError(core.Unavailable).Because(ctx.Err())
		}
		askedAt := p.clock()
		intake, err := p.askDatabase(ctx, key)
		if core.HasCode(err, core.NotFound) {
			p.knownProjects.Remove(key)
			p.unknownKeys.Add(key, askedAt)
			return nil, core.NewError(core.Unauthorized)
		}
		if err != nil {
			return nil, err
		}
		rules, err := scrub.NewRules(intake.ScrubKeys, intake.ScrubPatterns)
		if err != nil {
			return nil, err // fail closed: an event that cannot be scrubbed is not taken
		}
		found := &knownProject{intake, rules, indexOrigins(intake.AllowedOrigins), askedAt}
		p.knownProjects.Add(key, found)
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*knownProject), nil
}

// findByID returns a function that asks for a project by its id, as a path writes it.
func findByID(s *store.Store) func(context.Context, string) (store.IntakeProject, error) {
	return func(ctx context.Context, path string) (store.IntakeProject, error) {
		id, err := strconv.ParseInt(path, 10, 64)
		if err != nil || strconv.FormatInt(id, 10) != path {
			return store.IntakeProject{}, core.NewError(core.NotFound)
		}
		return s.ReadIntakeProject(ctx, id)
	}
}
