package app

import (
	"context"
	"crypto/rand"
	_ "embed"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"text/template"
	"time"

	"errand/core"
	"errand/demo"
	"errand/grouping"
	"errand/ingest"
	"errand/store"
	"errand/tools"
)

// Demo is the demo project after `errand demo`.
type Demo struct {
	Project core.ListedProject
	BaseURL string
	demo.Summary
}

// MakeDemo makes the demo project and fills it, on the path of events in a server: `errand demo`. It also works
// beside a running server. If the project exists, it adds what is missing.
func MakeDemo(ctx context.Context, c *Config, log *slog.Logger) (made Demo, err error) {
	err = atConsole(ctx, c, log, func(o console) (err error) {
		made.BaseURL = o.db.Settings().BaseURL
		if made.Project, err = o.tools.EnsureDemoProject(ctx, core.NewBootstrapActor()); err != nil {
			return err
		}
		registry, err := newDemoRegistry(c, o.db.Store, log)
		if err != nil {
			return err
		}
		key, err := ensureKey(ctx, o.db.Store, "user-hash")
		if err != nil {
			return err
		}
		past, err := openPast(ctx, c, o.db, key, log)
		if err != nil {
			return err
		}
		defer past.store.Close()
		defer past.ingest.Close()
		made.Summary, err = demo.FillProject(ctx,
			demo.Options{
				Registry: registry, Clock: o.db.clock.tellTime, Project: made.Project, At: past.at, IngestAt: past.ingestAt, Verify: o.db.VerifyFixes,
			})
		return err
	})
	return made, err
}

// past is the operations and the intake of events on the database, with a clock that can be set.
type past struct {
	store    *store.Store
	registry *core.Registry
	ingest   *ingest.Ingest
	now      atomic.Pointer[time.Time]
}

func openPast(ctx context.Context, c *Config, db *database, key []byte, log *slog.Logger) (*past, error) {
	p := &past{}
	p.setTime(db.clock.tellTime())
	s, err := store.Open(ctx, store.Options{
		URL: db.url, Clock: p.tellTime, Settings: c.defaultsHere(), Connections: store.MinConnections, Verify: c.verify,
	})
	if err != nil {
		return nil, err
	}
	p.store = s
	if p.registry, err = newDemoRegistry(c, s, log); err != nil {
		s.Close()
		return nil, err
	}
	p.ingest = ingest.New(ingest.Options{Store: s, Clock: p.tellTime, Random: rand.Reader, InstallKey: key, Log: log})
	return p, nil
}

func (p *past) tellTime() time.Time { return *p.now.Load() }

func (p *past) setTime(now time.Time) { p.now.Store(&now) }

// newDemoRegistry makes the operations for the demo project. None of them waits for approval.
func newDemoRegistry(c *Config, s *store.Store, log *slog.Logger) (*core.Registry, error) {
	return tools.New(tools.Options{
		Store: s, Random: rand.Reader, SCMHost: c.SCMHost, FindStoredType: grouping.FindStoredType, HoldsNothing: true,
	}).Registry(log)
}

// at sets the clock, and returns the operations.
func (p *past) at(now time.Time) *core.Registry {
	p.setTime(now)
	return p.registry
}

// ingestAt sets the clock, and returns the intake of events.
func (p *past) ingestAt(now time.Time) http.Handler {
	p.setTime(now)
	return p.ingest.Handler()
}

//go:embed demo.txt
var demoText string

var demoPage = template.Must(template.New("demo").Parse(demoText))

// Print writes what was made, and what to try next.
func (d Demo) Print(w io.Writer) error { return demoPage.Execute(w, d) }

// Key is the key of the project's first DSN.
func (d Demo) Key() string {
	dsn, err := url.Parse(d.Project.DSNs[0])
	if err != nil {
		return ""
	}
	return dsn.User.Username()
}
