package app

import (
	"crypto/rand"

	"errand/tools"
	"errand/tools/manage"
)

// newManagement makes the behaviour of the management API. What it has in common with /v1 is that of /v1.
func newManagement(db *database, behaviour *tools.Tools) *manage.Tools {
	return &manage.Tools{Store: db.Store, Random: rand.Reader, CreateProject: behaviour.MakeProject, CarryOut: behaviour.CarryOut}
}
