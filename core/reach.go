package core

import (
	"context"
	"fmt"
)

// Reach is the projects where a call may act. The registry puts it into the context of every call of a person who
// is not a site admin, and of a token that is limited to its project. The store checks it wherever an id becomes a
// project, and in every list. A nil Reach reaches everything: calls of other tokens have none.
type Reach struct {
	rights map[int64]Right
	need   Right // the right that the operation needs
}

type reachKey struct{}

// WithReach returns a context that is limited to the projects where the actor may call the operation.
func WithReach(ctx context.Context, op *Operation, actor Actor) context.Context {
	if actor.OnlyProject {
		return WithTokenReach(ctx, actor)
	}
	if actor.Type != ActorUser || actor.Rights.IsSiteAdmin {
		return ctx
	}
	return context.WithValue(ctx, reachKey{}, &Reach{rights: actor.Rights.projects, need: op.Right()})
}

// WithTokenReach returns a context that is limited to the project of a token with OnlyProject (decisions 11). The
// scopes of the token decide what it may do there.
func WithTokenReach(ctx context.Context, actor Actor) context.Context {
	if !actor.OnlyProject {
		return ctx
	}
	return context.WithValue(ctx, reachKey{}, &Reach{rights: map[int64]Right{int64(actor.ProjectID): SiteRight}, need: NoRight})
}

// ReachOf returns the reach of the call that a context belongs to.
func ReachOf(ctx context.Context) *Reach {
	reach, _ := ctx.Value(reachKey{}).(*Reach)
	return reach
}

// CheckReach refuses a project that the call may not act in: with not_found when the project does not exist for the person, otherwise
// with forbidden and the role that would be enough. 0 stands for the whole installation, which only site admins reach.
func CheckReach(ctx context.Context, project int64) error {
	reach := ReachOf(ctx)
	if reach == nil {
		return nil
	}
	switch right, isVisible := reach.rights[project]; {
	case !isVisible:
		return NewError(NotFound)
	case !right.includes(reach.need):
		return reach.need.refusal()
	default:
		return nil
	}
}

// CheckSiteReach refuses calls that may not act in the whole installation.
func CheckSiteReach(ctx context.Context) error {
	if ReachOf(ctx) == nil {
		return nil
	}
	return SiteRight.refusal()
}

// Projects returns the projects where the call may act, sorted; nil means all of them.
func (r *Reach) Projects() []int64 {
	if r == nil {
		return nil
	}
	return sortedProjects(r.rights, r.need)
}

// Visible returns the projects that exist for the caller, sorted; nil means all of them.
func (r *Reach) Visible() []int64 {
	if r == nil {
		return nil
	}
	return sortedProjects(r.rights, NoRight)
}

// Key returns the same text for reaches of the same projects; empty for a nil reach.
func (r *Reach) Key() string {
	if r == nil {
		return ""
	}
	return fmt.Sprint(r.Projects())
}
