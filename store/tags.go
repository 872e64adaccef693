package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const tagIDs pg.Series = "tags"

const (
	listTags = `
SELECT t.id, t.name
FROM issue_tags l JOIN tags t ON t.id = l.tag_id
WHERE l.project_id = @project_id AND l.issue_id = @issue_id
ORDER BY t.name`
	insertTag = `INSERT INTO tags (id, name) VALUES (@id, @name) ON CONFLICT (name) DO NOTHING`
	findTag   = `SELECT id, name FROM tags WHERE name = @name`
	attachTag = `
INSERT INTO issue_tags (project_id, issue_id, tag_id)
VALUES (@project_id, @issue_id, @tag_id) ON CONFLICT DO NOTHING`
	detachTag = `
DELETE FROM issue_tags l USING tags t
WHERE l.project_id = @project_id AND l.issue_id = @issue_id AND l.tag_id = @tag_id AND t.id = l.tag_id
RETURNING t.id, t.name`
)

// Tag is a word that people put on issues. All projects share the tags.
type Tag struct {
	ID   int64
	Name string
}

// ListTags lists the tags of an issue by their names.
func (s *Store) ListTags(ctx context.Context, project, issue int64) ([]Tag, error) {
	return pg.QueryMany[Tag](ctx, s.db.Main, listTags, pg.Args{"project_id": project, "issue_id": issue})
}

// tagData is the data of a change of an issue's tags.
type tagData struct {
	Tag string `json:"tag"`
}

// AddTag puts a tag on an issue. If the issue already has it, isNew is false and no activity is left.
func (s *Store) AddTag(ctx context.Context, actor core.Actor, project, issue int64, name string) (tag Tag, isNew bool, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		if _, err := t.lockIssue(ctx, project, issue); err != nil {
			return err
		}
		tag, err = t.makeTag(ctx, name)
		if err != nil {
			return err
		}
		n, err := pg.Exec(ctx, t, attachTag, pg.Args{"project_id": project, "issue_id": issue, "tag_id": tag.ID})
		if isNew = n == 1; err != nil || !isNew {
			return err
		}
		return t.recordOfIssue(ctx, actor, project, issue, core.ActionIssueTag, tagData{name})
	})
	s.forgetCounts(project)
	return tag, isNew, err
}

// makeTag returns the tag with the name, and makes it if there is none.
func (t *tx) makeTag(ctx context.Context, name string) (Tag, error) {
	tag, err := pg.QueryOne[Tag](ctx, t, findTag, pg.Args{"name": name})
	if !core.HasCode(err, core.NotFound) {
		return tag, err
	}
	id, err := t.store.db.IDs.TakeOne(ctx, tagIDs)
	if err != nil {
		return Tag{}, err
	}
	if _, err := pg.Exec(ctx, t, insertTag, pg.Args{"id": id, "name": name}); err != nil {
		return Tag{}, err
	}
	return pg.QueryOne[Tag](ctx, t, findTag, pg.Args{"name": name})
}

// RemoveTag takes a tag off an issue, or returns not_found.
func (s *Store) RemoveTag(ctx context.Context, actor core.Actor, project, issue, tag int64) error {
	err := s.inTx(ctx, func(t *tx) error {
		removed, err := pg.QueryOne[Tag](ctx, t, detachTag, pg.Args{"project_id": project, "issue_id": issue, "tag_id": tag})
		if err != nil {
			return err
		}
		return t.recordOfIssue(ctx, actor, project, issue, core.ActionIssueUntag, tagData{removed.Name})
	})
	s.forgetCounts(project)
	return err
}
