package manage

import (
	"context"

	"errand/core"
	"errand/core/manage"
)

func (t *Handlers) listTags(ctx context.Context, _ core.Call, in manage.ProblemPartInput) (core.List[manage.Tag], error) {
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return nil, err
	}
	tags, err := t.Store.ListTags(ctx, app, in.Problem)
	shown := make(core.List[manage.Tag], len(tags))
	for i, tag := range tags {
		shown[i] = manage.Tag(tag)
	}
	return shown, err
}

func (t *Handlers) addTag(ctx context.Context, call core.Call, in manage.AddTagInput) (manage.Tag, error) {
	name, err := in.TagName()
	if err != nil {
		return manage.Tag{}, err
	}
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return manage.Tag{}, err
	}
	tag, isNew, err := t.Store.AddTag(ctx, call.Actor, app, in.Problem, name)
	if err == nil && !isNew {
		err = manage.RefuseInput("Tag already added to this problem")
	}
	return manage.Tag(tag), err
}

func (t *Handlers) removeTag(ctx context.Context, call core.Call, in manage.RemoveTagInput) (core.None, error) {
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return core.None{}, err
	}
	err = t.Store.RemoveTag(ctx, call.Actor, app, in.Problem, in.ID)
	if core.HasCode(err, core.NotFound) {
		err = refuseTag()
	}
	return core.None{}, err
}

// refuseTag is the error of a tag that the problem does not have.
func refuseTag() error { return core.NewError(core.NotFound).With("message", "Tag not found") }
