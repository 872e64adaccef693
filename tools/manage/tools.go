// Package manage is the behaviour of the management API at /api/v1: one file per resource. It uses the same store
// methods as the rest of Errand, so that the timeline, webhooks and approvals are the same for every caller.
package manage

import (
	"context"
	"io"

	"errand/core"
	"errand/passwords"
	"errand/store"
)

// Handlers carries out the operations of the management API.
type Handlers struct {
	Store  *store.Store
	Random io.Reader // cryptographically strong
	// Passwords makes and checks the hashes of passwords.
	Passwords *passwords.Hasher

	// CreateProject creates a project with a new id and key.
	CreateProject func(context.Context, core.Actor, store.NewProject) (store.StoredProject, error)
	// CarryOut does an action, or requests approval of it where the installation holds it.
	CarryOut func(context.Context, core.Call, store.HoldableChange) (store.ActionOutcome, error)
}
