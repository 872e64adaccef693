// Package app builds the process: configuration, database, operations, surfaces. It is the one package that knows all
// others, and what tests embed.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"errand/api"
	"errand/core"
	"errand/ingest"
	"errand/jobs"
	"errand/mcp"
	"errand/tools"
)

// How long a stopping server waits for the requests that it has accepted, and for its jobs.
const (
	drainAtMost    = 30 * time.Second
	stopJobsAtMost = 10 * time.Second
	// storeWaitingAtMost is how long a stopping server has to store what waits in its memory.
	storeWaitingAtMost = 5 * time.Second
)

// transferAtMost is how long a client may take to send a request, and from then on until it has its answer. Taking events
// in has a shorter time of its own.
const transferAtMost = 2 * time.Minute

// App is a running Errand.
type App struct {
	config   *Config
	log      *slog.Logger
	db       *database
	ingest   *ingest.Ingest
	server   *http.Server
	listener net.Listener

	metrics   *metrics
	operators *operators // nil without METRICS_ADDR

	// FreshToken is the ADMIN_TOKEN when it was made just now, for the one time that it is shown.
	FreshToken core.Secret
}

// New brings everything up to the point where requests can be served: the address is bound, the schema current. Run
// serves; Close ends what New began. When New fails, nothing is left running.
func New(ctx context.Context, c Config, version string, log *slog.Logger) (*App, error) {
	a := &App{config: &c, log: withTrace(log), metrics: newMetrics(version)}
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
	if a.listener, err = net.Listen("tcp", a.config.Addr); err != nil {
		return fmt.Errorf("ADDR: %w", err)
	}
	a.config.resolvePort(a.listener.Addr())
	if a.config.MetricsAddr != "" {
		if a.operators, err = listenForOperators(a.config.MetricsAddr, a.metrics.registry, a.log); err != nil {
			return err
		}
		a.config.MetricsAddr = a.operators.listener.Addr().String()
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
	a.log.InfoContext(ctx, "starting", "version", version, "config", a.config)
	if err = a.db.prepare(ctx, a.config, a.log); err != nil {
		return err
	}
	return a.build(ctx, version)
}

// resolvePort puts the port that was bound in the place of port 0.
func (c *Config) resolvePort(bound net.Addr) {
	if strings.HasSuffix(c.Addr, ":0") {
		c.BaseURL = strings.Replace(c.BaseURL, c.Addr, bound.String(), 1)
		c.Addr = bound.String()
	}
}

func (a *App) build(ctx context.Context, version string) error {
	behaviour := tools.New(tools.Options{
		Store: a.db.Store, BaseURL: a.config.BaseURL, AdminToken: a.config.AdminToken, Random: rand.Reader,
		RequireApproval: a.config.RequireApproval, SimilarOff: a.config.Similar == "off",
	})
	registry, err := behaviour.Registry(a.log)
	if err != nil {
		return err
	}
	key, err := userHashKey(ctx, a.db.Store)
	if err != nil {
		return err
	}
	a.metrics.registry.MustRegister(pools{a.db.Pools})
	surfaces := api.Options{
		Registry: registry, Authenticate: behaviour.Authenticate, BaseURL: a.config.BaseURL, Version: version, Log: a.log,
		Ready: a.ready, WithoutOperations: !a.config.has(roleAPI), Observe: a.metrics.request,
	}
	if a.config.has(roleIngest) {
		a.ingest = ingest.New(ingest.Options{
			Store: a.db.Store, Clock: time.Now, Random: rand.Reader, InstallKey: key, Log: a.log, Metrics: a.metrics.registry,
		})
		surfaces.Ingest = a.ingest.Handler()
	}
	if a.config.has(roleMCP) {
		surfaces.MCP = mcp.New(mcp.Options{
			Registry: registry, Call: api.Caller, BaseURL: a.config.BaseURL, Version: version, Log: a.log, Observe: a.metrics.call,
		})
	}
	a.server = &http.Server{
		Handler:           api.New(surfaces),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: transferAtMost, WriteTimeout: transferAtMost, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ConnState: newConnections(maxConnections).changed,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug), // what clients do wrong below HTTP
	}
	return nil
}

// ready tells whether requests can be served: the database answers and its schema is current.
func (a *App) ready(ctx context.Context) error {
	if err := a.db.Ping(ctx); err != nil {
		return err
	}
	return a.db.SchemaCurrent(ctx)
}

// URL is where the server is reached.
func (a *App) URL() string { return a.config.BaseURL }

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

// Run serves until ctx ends, then stops accepting, answers what it has accepted, and returns. Close follows it.
func (a *App) Run(ctx context.Context) (err error) {
	stopWork, err := a.work(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWork()) }()
	failed := make(chan error, 1)
	go func() { failed <- a.server.Serve(a.listener) }()
	if a.operators != nil {
		a.operators.serve(a.log)
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return a.drain()
	}
}

// work begins what the server does beside answering requests. It begins to stop with ctx, and has when stop returns.
func (a *App) work(ctx context.Context) (stop func() error, err error) {
	var queue *river.Client[pgx.Tx]
	if a.config.has(roleWorker) {
		queue, err = jobs.Start(ctx, jobs.Options{Store: a.db.Store, RetentionDays: a.config.Retention, Log: a.log, Observe: a.metrics.run})
		if err != nil {
			return nil, err
		}
	}
	trimming, stopTrimming := context.WithCancel(ctx)
	var trimmer sync.WaitGroup
	if a.config.has(roleIngest) {
		trimmer.Go(func() { jobs.TrimIssues(trimming, a.db.Store, a.log) })
	}
	return func() error {
		stopTrimming()
		trimmer.Wait()
		if queue == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopJobsAtMost)
		defer cancel()
		if err := queue.Stop(ctx); err != nil {
			return fmt.Errorf("the jobs did not stop in time: %w", err)
		}
		return nil
	}, nil
}

func (a *App) drain() error {
	a.log.Info("stopping: answering what was accepted")
	ctx, cancel := context.WithTimeout(context.Background(), drainAtMost)
	defer cancel()
	if err := a.server.Shutdown(ctx); err != nil {
		return fmt.Errorf("some requests were not answered in time: %w", errors.Join(err, a.server.Close()))
	}
	return nil
}

// storeWaiting stores the events of hot issues that wait for it.
func (a *App) storeWaiting(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWaitingAtMost)
	defer cancel()
	if err := a.db.TrimAllIssues(ctx); err != nil {
		a.log.WarnContext(ctx, "some events of issues with very many were counted and not stored", "error", err)
	}
}

// Close ends what New began, in the order in which nothing that was accepted is lost: requests, events, database.
func (a *App) Close(ctx context.Context) {
	if a.server != nil {
		_ = a.server.Close()
	}
	if a.listener != nil {
		_ = a.listener.Close() // Serve has closed it when it ran
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
