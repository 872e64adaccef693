package core

import (
	"context"
	"fmt"
)

// Reach says in which projects a call may do what it does. The registry puts it into the context of every call of a person
// that is not a site admin, and of a token that stays in its project, and the store asks it wherever an id becomes a project, and in
// every list. A nil Reach reaches everything: calls of other tokens have none.
type Reach struct {
	rights map[int64]Right
	need   Right // of the operation
}

type reachKey struct{}

// WithReach limits what is done in a context to what a call of the operation by the actor may do.
func WithReach(ctx context.Context, op *Operation, actor Actor) context.Context {
	if actor.OnlyProject {
		return WithTokenReach(ctx, actor)
	}
	if actor.Type != ActorUser || actor.Rights.IsSiteAdmin {
		return ctx
	}
	return context.WithValue(ctx, reachKey{}, &Reach{rights: actor.Rights.projects, need: op.Right()})
}

// WithTokenReach limits a context to the project of a token that stays in its project (decisions 11). The scopes of the token decide
// what it may do there.
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

// CheckReach refuses a project that the call may not act in: as not_found when it does not exist for the person, else as forbidden
// with the role that would do. 0 stands for the whole installation, which exists for site admins alone.
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

// Projects returns the projects in which the call may act, sorted; nil means all of them.
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

// Key is the same for reaches of the same projects; empty for a nil one.
func (r *Reach) Key() string {
	if r == nil {
		return ""
	}
	return fmt.Sprint(r.Projects())
}
