package app

import (
	"net/http"
	"sync/atomic"

	"errand/api"
)

// door answers on the listen address from the first moment. Until the server is ready, it serves only the probes.
// Before the server stops, /readyz says so while everything else is still served.
type door struct {
	reason   atomic.Pointer[string] // why /readyz answers 503; nil: the surfaces answer
	surfaces atomic.Pointer[http.Handler]
	notReady http.Handler
}

func newDoor() *door {
	d := &door{}
	d.refuseWith("starting")
	d.notReady = api.NewNotReady(func() string {
		if reason := d.reason.Load(); reason != nil {
			return *reason
		}
		return ""
	})
	return d
}

// refuseWith makes /readyz answer 503 with a reason, which everybody may read.
func (d *door) refuseWith(reason string) { d.reason.Store(&reason) }

// openTo serves the surfaces.
func (d *door) openTo(surfaces http.Handler) {
	d.surfaces.Store(&surfaces)
	d.reason.Store(nil)
}

// ServeHTTP serves what the door is open to.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	surfaces := d.surfaces.Load()
	if surfaces == nil || r.URL.Path == "/readyz" && d.reason.Load() != nil {
		d.notReady.ServeHTTP(w, r)
		return
	}
	(*surfaces).ServeHTTP(w, r)
}
