package app

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	"errand/api"
	surface "errand/api/manage"
	"errand/grouping"
	"errand/passwords"
	"errand/tools"
	"errand/tools/manage"
)

// newTools makes the behaviour of the operations.
func (a *App) newTools() *tools.Tools {
	return tools.New(tools.Options{
		Store: a.db.Store, AdminToken: a.config.AdminToken, Random: rand.Reader, SCMHost: a.config.SCMHost,
		FindStoredType: grouping.FindStoredType, Blobs: a.sourceMapBlobs(), Webhooks: a.describeWebhooks(), TakeTestEvent: a.ingest.TakeTestEvent,
		Mail: a.describeMail(), DescribeServer: a.describeServer, ExamineServer: a.examineServer,
	})
}

// newManagement makes the behaviour of the management API. What it has in common with /v1 is that of /v1.
func newManagement(db *database, behaviour *tools.Tools, hasher *passwords.Hasher) *manage.Handlers {
	return &manage.Handlers{
		Store: db.Store, Random: rand.Reader, Passwords: hasher, CreateProject: behaviour.MakeProject, CarryOut: behaviour.CarryOut,
	}
}

// newManagementAPI makes the surface at /api/v1.
func (a *App) newManagementAPI(behaviour *tools.Tools, version string) http.Handler {
	management := newManagement(a.db, behaviour, a.people.passwords)
	return surface.New(surface.Options{
		Registry: a.people.management, Authenticate: a.failures.GuardAuthentication(management.Authenticate), Authorize: management.Authorize,
		Document:  sync.OnceValue(func() []byte { return api.DescribeManagement(version) }),
		RequestID: func(ctx context.Context) string { return api.CallerOf(ctx).RequestID },
	})
}
