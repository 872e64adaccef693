package manage

import (
	"context"
	"slices"
	"strconv"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

// Authorize makes the checks that come before the input of an operation: that what the path names exists, and then the
// permission (management API, 1.1). It does nothing for an operation that asks for its permission first.
func (t *Handlers) Authorize(ctx context.Context, actor core.Actor, op *core.Operation, path map[string]string) error {
	permission := manage.PermissionAfter(op)
	if permission == "" {
		return nil
	}
	if err := t.lookUp(ctx, manage.ResourceOf(op), path); err != nil {
		return err
	}
	return manage.RequirePermission(actor, permission)
}

// lookUp returns not_found when something that the path names is not there.
func (t *Handlers) lookUp(ctx context.Context, resource string, path map[string]string) error {
	if user, named := path["user"]; named {
		_, err := t.Store.FindUser(ctx, user)
		return err
	}
	if team, named := path["team"]; named {
		return t.lookUpInTeam(ctx, team, path)
	}
	return t.lookUpInApp(ctx, resource, path)
}

func (t *Handlers) lookUpInTeam(ctx context.Context, ref string, path map[string]string) error {
	team, err := t.Store.FindTeam(ctx, ref)
	if err != nil {
		return err
	}
	if app, named := path["app"]; named {
		_, err = t.Store.FindProjectByKey(ctx, core.ProjectRef(app))
		return err
	}
	member, named := path["id"]
	if !named {
		return nil
	}
	id, err := readID(member)
	if err != nil {
		return err
	}
	_, err = t.Store.ReadTeamMember(ctx, team.ID, id)
	return err
}

func (t *Handlers) lookUpInApp(ctx context.Context, resource string, path map[string]string) error {
	app, err := t.Store.FindProjectByKey(ctx, core.ProjectRef(path["app"]))
	if err != nil {
		return err
	}
	problem, isAbove := path["problem"]
	part, named := path["id"]
	if !isAbove {
		if !named {
			return nil
		}
		problem = part
	}
	id, err := readID(problem)
	if err != nil {
		return err
	}
	if _, err = t.Store.ReadProblem(ctx, app, id); err != nil || !isAbove || !named {
		return err
	}
	return t.lookUpInProblem(ctx, resource, problemPart{app, id, part})
}

// problemPart is a notice or a tag of a problem, with the text that names it in a path.
type problemPart struct {
	app, problem int64
	id           string
}

func (t *Handlers) lookUpInProblem(ctx context.Context, resource string, part problemPart) error {
	id, err := readID(part.id)
	if err != nil {
		return err
	}
	if resource == "notices" {
		return t.Store.CheckNotice(ctx, part.app, part.problem, id)
	}
	tags, err := t.Store.ListTags(ctx, part.app, part.problem)
	if err == nil && !slices.ContainsFunc(tags, func(tag store.Tag) bool { return tag.ID == id }) {
		err = refuseTag()
	}
	return err
}

// readID reads an id in a path. A text that cannot be an id is not found.
func readID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, core.NewError(core.NotFound)
	}
	return id, nil
}
