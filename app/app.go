// Package app builds the process: configuration, database, operations, surfaces. It is the one package that knows all
// others, and what tests embed.
package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"errand/api"
	"errand/core"
	"errand/edge"
	"errand/ingest"
	"errand/mcp"
	"errand/tools"
)

// How long a stopping server waits for the requests that it has accepted, and for its jobs, which stop at the same time:
// together with all else that is less than the 10 seconds that supervisors allow.
const (
	drainAtMost    = 7 * time.Second
	stopJobsAtMost = 8 * time.Second
	// hurryAfter is when events that wait for the database are refused, so that their senders hear of it.
	hurryAfter = 5 * time.Second
	// storeWaitingAtMost is how long a stopping server has to store what waits in its memory.
	storeWaitingAtMost = 2 * time.Second
)

// transferAtMost is how long a client may take to send a request, and from then on until it has its answer. Taking events
// in has a shorter time of its own.
const transferAtMost = 2 * time.Minute

// App is a running Errand.
type App struct {
	config   *Config
	log      *slog.Logger
	db       *database
	settings *settings
	ingest   *ingest.Ingest
	listener net.Listener

	connections *edge.Connections
	failures    *edge.Failures

	door        *door
	server      *http.Server
	serving     sync.WaitGroup
	failed      chan error         // why the server serves no more
	cutRequests context.CancelFunc // ends what requests wait for

	metrics   *metrics
	operators *operators // nil without METRICS_ADDR

	// FreshToken is the ADMIN_TOKEN when it was made just now, for the one time that it is shown.
	FreshToken core.Secret
}

// New brings everything up to the point where requests can be served: the address is bound, the schema current. From its
// first moment the probes are answered, and once it has returned all requests. Run does the rest of the work; Close ends
// what New began. When New fails, nothing is left running.
func New(ctx context.Context, c Config, version string, log *slog.Logger) (*App, error) {
	a := &App{config: &c, log: withTrace(log), metrics: newMetrics(version), door: newDoor()}
	if err := a.open(ctx, version); err != nil {
		a.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return a, nil
}

func (a *App) open(ctx context.Context, version string) (err error) {
	if err = a.config.Complete(); err != nil {
		return err
	}
	// The address first: a port that is taken should be said before a database is started.
	if err := a.listen(); err != nil {
		return err
	}
	a.log.InfoContext(ctx, "starting", "version", version, "config", a.config)
	if a.config.private() {
		a.door.refuse("starting: the private Postgres is starting")
	}
	if a.db, err = openDatabase(ctx, a.config, a.log); err != nil {
		return err
	}
	if a.config.private() && a.config.AdminToken == "" {
		token, fresh, err := adminToken(a.config.DataDir)
		if err != nil {
			return err
		}
		if a.config.AdminToken = token; fresh {
			a.FreshToken = token
		}
	}
	if err = a.db.prepare(ctx, a.config, a.log, a.door.refuse); err != nil {
		return err
	}
	a.settings = &settings{store: a.db.Store, log: a.log, given: a.config.settings, own: a.config.ownSettings()}
	by := whoami(a.config.Addr, version)
	err = a.config.waitForDatabase(ctx, a.log, func(ctx context.Context) error { return a.settings.establish(ctx, by) })
	if err != nil {
		return err
	}
	if err = a.warn(ctx); err != nil {
		return err
	}
	surfaces, err := a.build(ctx, version)
	if err != nil {
		return err
	}
	a.door.open(surfaces)
	a.log.InfoContext(ctx, "ready", "url", a.URL(), "listens_at", a.Addr())
	return nil
}

// listen binds the addresses and begins to answer.
func (a *App) listen() (err error) {
	if a.listener, err = net.Listen("tcp", a.config.Addr); err != nil {
		return fmt.Errorf("ADDR: %w", err)
	}
	if strings.HasSuffix(a.config.Addr, ":0") {
		a.config.Addr = a.listener.Addr().String()
	}
	if a.config.MetricsAddr != "" {
		if a.operators, err = listenForOperators(a.config.MetricsAddr, a.metrics.registry, a.log); err != nil {
			return err
		}
		a.config.MetricsAddr = a.operators.listener.Addr().String()
		a.operators.serve(a.log)
	}
	requests, cut := context.WithCancel(context.Background())
	a.cutRequests, a.failed = cut, make(chan error, 1)
	a.connections = edge.NewConnections(a.config.proxies)
	a.server = &http.Server{
		Handler:           a.connections.Serve(a.door),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: transferAtMost, WriteTimeout: transferAtMost, IdleTimeout: 2 * time.Minute,
		ConnContext: a.connections.Remember,
		ErrorLog:    slog.NewLogLogger(a.log.Handler(), slog.LevelDebug), // what clients do wrong below HTTP
	}
	a.serving.Go(func() { a.failed <- a.server.Serve(a.connections.Listen(a.listener)) })
	return nil
}

// build makes the surfaces.
func (a *App) build(ctx context.Context, version string) (http.Handler, error) {
	behaviour := tools.New(tools.Options{Store: a.db.Store, AdminToken: a.config.AdminToken, Random: rand.Reader, SCMHost: a.config.SCMHost})
	registry, err := behaviour.Registry(a.log)
	if err != nil {
		return nil, err
	}
	key, err := userHashKey(ctx, a.db.Store)
	if err != nil {
		return nil, err
	}
	a.metrics.registry.MustRegister(pools{a.db.Pools})
	a.failures = edge.NewFailures(time.Now)
	surfaces := api.Options{
		Registry: registry, Authenticate: a.failures.Guard(behaviour.Authenticate), BaseURL: a.URL, Version: version, Log: a.log,
		Ready: (&readiness{look: a.ready}).check, WithoutOperations: !a.config.has(roleAPI), Observe: a.metrics.request,
	}
	if a.config.has(roleIngest) {
		a.ingest = ingest.New(ingest.Options{
			Store: a.db.Store, Clock: time.Now, Random: rand.Reader, InstallKey: key, Log: a.log, Metrics: a.metrics.registry,
			Failures: a.failures,
		})
		surfaces.Ingest = a.ingest.Handler()
	}
	if a.config.has(roleMCP) {
		surfaces.MCP = mcp.New(mcp.Options{
			Registry: registry, Call: api.CallerOf, BaseURL: a.URL, Version: version, Log: a.log, Observe: a.metrics.call,
		})
	}
	return api.New(surfaces), nil
}

// URL is the public URL of the installation.
func (a *App) URL() string { return a.db.Settings().BaseURL }

// Addr is the host and port at which the server listens.
func (a *App) Addr() string { return a.listener.Addr().String() }

// MetricsURL is where operators find the metrics; empty without METRICS_ADDR.
func (a *App) MetricsURL() string {
	if a.operators == nil {
		return ""
	}
	return "http://" + a.config.MetricsAddr + "/metrics"
}

// DataDir is where the generated secrets of a private installation are; empty with DATABASE_URL.
func (a *App) DataDir() string {
	if !a.config.private() {
		return ""
	}
	return a.config.DataDir
}

// storeWaiting stores the events of hot issues that wait for it.
func (a *App) storeWaiting(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWaitingAtMost)
	defer cancel()
	if err := a.db.Intake.TrimAllIssues(ctx); err != nil {
		a.log.WarnContext(ctx, "some events of issues with very many were counted and not stored", "error", err)
	}
}

// Close ends what New began, in the order in which nothing that was accepted is lost: requests, events, database.
func (a *App) Close(ctx context.Context) {
	if a.server != nil {
		_ = a.server.Close()
		a.cutRequests()
		if a.ingest != nil {
			a.ingest.Hurry()
		}
		a.serving.Wait()
	}
	if a.listener != nil {
		_ = a.listener.Close() // Serve has closed it when it ran
	}
	if a.connections != nil {
		a.connections.Close()
	}
	if a.ingest != nil {
		a.ingest.Close()
		a.storeWaiting(ctx)
	}
	if a.db != nil {
		a.db.close(ctx)
	}
	if a.operators != nil {
		a.operators.close()
	}
	a.log.InfoContext(ctx, "stopped")
}
