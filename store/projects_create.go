package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgerrcode"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// NewProject is a project to create.
type NewProject struct {
	ID        int64 // the public id, random
	Name      string
	Platform  string
	PublicKey string           // the first key
	Demo      bool             // filled with examples; at most one project is
	Managed   *ManagedSettings // nil for the defaults
}

// Errors of CreateProject.
var (
	// ErrIDTaken says that the public id belongs to another project.
	ErrIDTaken = errors.New("store: the public id is taken")
	// ErrDemoTaken says that there already is a demo project.
	ErrDemoTaken = errors.New("store: there is a demo project")

	errNoSlug = errors.New("store: no slug is free for long enough")
)

const (
	listSlugsLike = `SELECT slug FROM projects WHERE deleted_at IS NULL AND (slug = @slug OR starts_with(slug, @slug || '-'))`
	insertProject = `
INSERT INTO projects (id, name, slug, platform, demo, created_at, created_by_user)
VALUES (@id, @name, @slug, @platform, @demo, @now, nullif(@created_by_user::bigint, 0)) ON CONFLICT DO NOTHING`
	// insertSeen makes the row that brings the project's events to its node where the tables are distributed.
	insertSeen       = `INSERT INTO project_seen (project_id) VALUES (@project_id) ON CONFLICT DO NOTHING`
	findTakenProject = `
SELECT EXISTS (SELECT 1 FROM projects WHERE id = @id) AS id,
	@demo::boolean AND EXISTS (SELECT 1 FROM projects WHERE demo AND deleted_at IS NULL) AS demo`
)

// CreateProject creates a project with its first key. After ErrIDTaken the caller tries another id; ErrDemoTaken says that
// there already is a demo project.
func (s *Store) CreateProject(ctx context.Context, actor core.Actor, p NewProject) (StoredProject, error) {
	if err := s.inTx(ctx, func(t *tx) error { return t.createProject(ctx, actor, p) }); err != nil {
		return StoredProject{}, err
	}
	return s.ReadProject(ctx, p.ID)
}

func (t *tx) createProject(ctx context.Context, actor core.Actor, p NewProject) error {
	if err := t.insertProject(ctx, actor, p); err != nil {
		return err
	}
	if p.Managed != nil {
		if err := t.saveManagedSettings(ctx, p.ID, *p.Managed); err != nil {
			return err
		}
	}
	if t.IsDistributed() {
		if _, err := pg.Exec(ctx, t, insertSeen, pg.Args{"project_id": p.ID}); err != nil {
			return err
		}
	}
	if _, err := pg.Exec(ctx, t, insertProjectKey, pg.Args{"key": p.PublicKey, "project_id": p.ID, "now": t.Now}); err != nil {
		return err
	}
	_, err := t.recordActivity(ctx, activity.Entry{
		ProjectID: p.ID, Actor: actor, Action: core.ActionProjectCreate, TargetType: core.TargetProject, TargetID: p.ID,
	})
	return err
}

// slugAttempts bounds how often another slug is tried because someone else took it: of many callers at the same time, one
// succeeds in each round.
const slugAttempts = 50

// inTxOfSlug is inTx for changes of a slug: it runs fn again when someone else has taken the slug.
func (s *Store) inTxOfSlug(ctx context.Context, fn func(*tx) error) (err error) {
	for range slugAttempts {
		if err = s.inTx(ctx, fn); !pg.HasState(err, pgerrcode.UniqueViolation) {
			break
		}
	}
	return err
}

// insertProject inserts the project under a free slug.
func (t *tx) insertProject(ctx context.Context, actor core.Actor, p NewProject) error {
	createdBy := int64(0)
	if actor.Type == core.ActorUser {
		createdBy = int64(actor.ID)
	}
	for range slugAttempts {
		slug, err := t.findFreeSlug(ctx, core.MakeSlug(p.Name))
		if err != nil {
			return err
		}
		inserted, err := pg.Exec(ctx, t, insertProject, pg.Args{
			"id": p.ID, "name": p.Name, "slug": slug, "platform": p.Platform, "demo": p.Demo, "now": t.Now,
			"created_by_user": createdBy,
		})
		if err != nil || inserted == 1 {
			return err
		}
		taken, err := pg.QueryOne[struct{ ID, Demo bool }](ctx, t, findTakenProject, pg.Args{"id": p.ID, "demo": p.Demo})
		switch {
		case err != nil:
			return err
		case taken.ID:
			return ErrIDTaken
		case taken.Demo:
			return ErrDemoTaken
		}
	}
	return errNoSlug
}

// findFreeSlug returns a slug that no other project has.
func (t *tx) findFreeSlug(ctx context.Context, slug string) (string, error) {
	return t.numberSlug(ctx, listSlugsLike, pg.Args{"slug": slug}, slug)
}

// numberSlug returns the slug, or the slug with the lowest free number: web-shop, web-shop-1, web-shop-2. The statement
// lists the slugs that are taken.
func (t *tx) numberSlug(ctx context.Context, listTaken string, args pg.Args, slug string) (string, error) {
	rows, err := pg.QueryMany[struct{ Slug string }](ctx, t, listTaken, args)
	if err != nil {
		return "", err
	}
	taken := make(map[string]bool, len(rows))
	for _, r := range rows {
		taken[r.Slug] = true
	}
	free := slug
	for n := 1; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", slug, n)
	}
	return free, nil
}
