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

	"errand/api"
	"errand/core"
	"errand/ingest"
	"errand/jobs"
	"errand/mcp"
	"errand/tools"
)

// drainAtMost is how long a stopping server waits for the requests that it has accepted.
const drainAtMost = 30 * time.Second

// App is a running Errand.
type App struct {
	config   *Config
	log      *slog.Logger
	db       *database
	ingest   *ingest.Ingest
	server   *http.Server
	listener net.Listener

	// FreshToken is the ADMIN_TOKEN when it was made just now, for the one time that it is shown.
	FreshToken core.Secret
}

// New brings everything up to the point where requests can be served: the address is bound, the schema current. Run
// serves; Close ends what New began. When New fails, nothing is left running.
func New(ctx context.Context, c Config, version string, log *slog.Logger) (*App, error) {
	a := &App{config: &c, log: log}
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
		SimilarOff: a.config.Similar == "off",
	})
	registry, err := behaviour.Registry(a.log)
	if err != nil {
		return err
	}
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return err
	}
	key, err := a.db.InstallSecret(ctx, "user-hash", fresh)
	if err != nil {
		return err
	}
	a.ingest = ingest.New(ingest.Options{Store: a.db.Store, Clock: time.Now, Random: rand.Reader, InstallKey: key, Log: a.log})
	agents := mcp.New(mcp.Options{Registry: registry, Call: api.Caller, BaseURL: a.config.BaseURL, Version: version, Log: a.log})
	a.server = &http.Server{
		Handler: api.New(api.Options{
			Registry: registry, Authenticate: behaviour.Authenticate, BaseURL: a.config.BaseURL, Version: version, Log: a.log,
			Ready: a.ready, Ingest: a.ingest.Handler(), MCP: agents,
		}),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
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

// DataDir is where the generated secrets of a private installation are; empty with DATABASE_URL.
func (a *App) DataDir() string {
	if !a.config.private() {
		return ""
	}
	return a.config.DataDir
}

// Run serves until ctx ends, then stops accepting, answers what it has accepted, and returns. Close follows it.
func (a *App) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- a.server.Serve(a.listener) }()
	working, stopWork := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		jobs.Run(working, jobs.Options{Store: a.db.Store, RetentionDays: a.config.Retention, Log: a.log})
	})
	defer work.Wait()
	defer stopWork()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return a.drain()
	}
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
	}
	if a.db != nil {
		a.db.close(ctx)
	}
	a.log.InfoContext(ctx, "stopped")
}
