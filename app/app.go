// Package app builds the process: configuration, database, operations, surfaces. It is the only package that knows all
// others, and tests embed it.
package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"errand/api"
	"errand/blob"
	"errand/core"
	"errand/edge"
	"errand/ingest"
	"errand/mcp"
	"errand/notify"
	"errand/oauth"
	"errand/prompts"
	"errand/scm"
	"errand/seal"
	"errand/web"
)

// How long a stopping server waits for accepted requests. Its jobs stop at the same time. Together with everything else this
// is less than the 10 seconds that supervisors allow.
const (
	drainAtMost = 7 * time.Second
	// holdAtMost is how long a stopping server holds events that wait for the database, before it refuses them.
	holdAtMost = 5 * time.Second
	// storeWaitingAtMost is how long a stopping server has to store the events in its memory.
	storeWaitingAtMost = 2 * time.Second
)

// transferAtMost is how long a client may take to send a request, and then how long the answer may take. Ingest has
// its own, shorter limit.
const transferAtMost = 2 * time.Minute

// App is a running Errand.
type App struct {
	config   *Config
	version  string
	log      *slog.Logger
	db       *database
	settings *settings
	ingest   *ingest.Ingest
	blobs    *blob.OwnedStore // of source maps; nil for none
	keys     *seal.Ring       // seal the secrets of webhooks; nil for none
	guard    *notify.Guard
	listener net.Listener

	connections *edge.Connections
	failures    *edge.Failures

	door          *door
	server        *http.Server
	serving       sync.WaitGroup
	servingFailed chan error         // gets the reason why serving ended
	cutRequests   context.CancelFunc // cancels what requests wait for

	metrics   *metrics
	memory    processMemory
	operators *operators // nil without METRICS_ADDR
	people    people
	// SignUpLink is the link for the first user to sign up, which is shown once; empty when there are users.
	SignUpLink core.Secret
	// NewAdminToken is the ADMIN_TOKEN if New generated it, to be shown once; empty otherwise.
	NewAdminToken core.Secret

	stops stops // the parts that New started
}

// New starts everything that serving requests needs: it binds the address and updates the schema. Probes are answered
// from the first moment, other requests after New has returned. Run does the rest of the work, and Close stops what
// New started. When New fails, nothing stays running.
func New(ctx context.Context, c Config, version string, log *slog.Logger) (*App, error) {
	log = addTraceIDs(log)
	a := &App{config: &c, version: version, log: log, metrics: newMetrics(version), door: newDoor(), stops: stops{log: log}}
	a.memory.startedAt = time.Now()
	if err := a.openAll(ctx, version); err != nil {
		a.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return a, nil
}

func (a *App) openAll(ctx context.Context, version string) (err error) {
	if err = a.config.FillDefaults(); err != nil {
		return err
	}
	// The address comes first: a port in use is reported before a database is started.
	if err := a.listenOnAddr(); err != nil {
		return err
	}
	a.log.InfoContext(ctx, "starting", "version", version)
	a.log.DebugContext(ctx, "configuration", "config", a.config)
	if a.config.isPrivate() {
		a.door.refuseWith("starting: the private Postgres is starting")
	}
	if a.db, err = openDatabase(ctx, a.config, a.log, &a.stops); err != nil {
		return err
	}
	if a.config.isPrivate() && a.config.AdminToken == "" {
		token, isNew, err := loadAdminToken(a.config.DataDir)
		if err != nil {
			return err
		}
		if a.config.AdminToken = token; isNew {
			a.NewAdminToken = token
		}
	}
	if err = a.db.prepareSchema(ctx, a.config, a.log, a.door.refuseWith); err != nil {
		return err
	}
	a.settings = &settings{store: a.db.Store, log: a.log, given: a.config.settings, defaultsHere: a.config.defaultsHere()}
	by := nameProcess(a.config.Addr, version)
	err = a.config.waitForDatabase(ctx, a.log, func(ctx context.Context) error { return a.settings.establishSettings(ctx, by) })
	if err != nil {
		return err
	}
	if err = a.warnOfDoubts(ctx); err != nil {
		return err
	}
	if err = a.openBlobs(ctx); err != nil {
		return err
	}
	if err = a.openOutgoing(ctx); err != nil {
		return err
	}
	surfaces, err := a.buildSurfaces(ctx, version)
	if err != nil {
		return err
	}
	a.door.openTo(surfaces)
	a.stops.add("requests", a.stopServing) // stopped before what they need
	a.log.InfoContext(ctx, "ready", "url", a.URL(), "listens_at", a.Addr())
	return nil
}

// listenOnAddr binds the addresses and starts answering.
func (a *App) listenOnAddr() (err error) {
	if a.listener, err = net.Listen("tcp", a.config.Addr); err != nil {
		return fmt.Errorf("ADDR: %w", err)
	}
	a.stops.add("the listener of ADDR", func(context.Context) error {
		_ = a.listener.Close() // if the HTTP server ran, it has closed the listener
		return nil
	})
	if strings.HasSuffix(a.config.Addr, ":0") {
		a.config.Addr = a.listener.Addr().String()
	}
	if a.config.MetricsAddr != "" {
		if a.operators, err = listenForOperators(a.config.MetricsAddr, a.metrics.registry, a.log); err != nil {
			return err
		}
		a.stops.add("the listener of METRICS_ADDR", func(context.Context) error { a.operators.close(); return nil })
		a.config.MetricsAddr = a.operators.listener.Addr().String()
		a.operators.serveAll(a.log)
	}
	requests, cut := context.WithCancel(context.Background())
	a.cutRequests, a.servingFailed = cut, make(chan error, 1)
	a.connections = edge.NewConnections(a.config.proxies)
	a.server = &http.Server{
		Handler:           a.connections.WrapHandler(a.door),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: transferAtMost, WriteTimeout: transferAtMost, IdleTimeout: 2 * time.Minute,
		ConnContext: a.connections.RememberConnection,
		ErrorLog:    slog.NewLogLogger(a.log.Handler(), slog.LevelDebug), // clients' mistakes below HTTP
	}
	a.stops.add("the answers to probes", a.stopServing)
	a.serving.Go(func() { a.servingFailed <- a.server.Serve(a.connections.BoundListener(a.listener)) })
	return nil
}

// stopServing closes all connections and cancels what their requests wait for. A second call does nothing.
func (a *App) stopServing(context.Context) error {
	_ = a.server.Close() // the only error is that draining has closed the listener already
	a.cutRequests()
	a.serving.Wait()
	a.connections.Close()
	return nil
}

// buildSurfaces makes REST, MCP, ingest and the webhook of source control, as the server's roles require.
func (a *App) buildSurfaces(ctx context.Context, version string) (http.Handler, error) {
	a.metrics.registry.MustRegister(pools{a.db.Pools})
	a.metrics.observeClock(a.db.clock)
	a.metrics.registry.MustRegister(&installationMetrics{app: a}, &usageMetrics{app: a})
	a.failures = edge.NewFailures(time.Now)
	if err := a.openIngest(ctx); err != nil {
		return nil, err
	}
	behaviour := a.newTools()
	registry, err := behaviour.Registry(a.log)
	if err != nil {
		return nil, err
	}
	if err := a.openPeople(ctx, registry, behaviour); err != nil {
		return nil, err
	}
	surfaces := api.Options{
		Registry: registry, Authenticate: a.failures.GuardAuthentication(behaviour.Authenticate), BaseURL: a.URL, Version: version, Log: a.log,
		Ready: (&readiness{checkNow: a.checkReady}).checkLately, WithoutOperations: !a.config.hasRole(roleAPI), Observe: a.metrics.countRequest,
		AuthenticateSession: a.authenticateSession(behaviour), Assets: pageAssets,
	}
	surfaces.Pages = web.AssetRoutes() // the consent page needs them too
	if a.config.hasRole(roleWeb) {
		maps.Copy(surfaces.Pages, a.people.site.Routes())
		surfaces.UnknownPage = a.people.site.ServeUnknown
	}
	if a.config.hasRole(roleAPI) {
		surfaces.SentryAPI = a.newSentryAPI(registry, behaviour, surfaces.Authenticate, version)
		surfaces.Manage = a.newManagementAPI(behaviour, version)
	}
	if a.config.hasRole(roleIngest) {
		surfaces.Ingest = a.ingest.Handler()
	}
	if a.config.hasRole(roleMCP) {
		surfaces.MCP = mcp.New(mcp.Options{
			Registry: registry, Call: api.CallerOf, BaseURL: a.URL, Version: version, Log: a.log, Observe: a.metrics.countCall,
			NameClient: behaviour.NameClient,
		})
		if surfaces.SignIn, err = a.newSignIn(ctx, registry, behaviour, surfaces.Authenticate); err != nil {
			return nil, err
		}
		surfaces.Challenge = oauth.NewChallenge(a.URL)
		surfaces.Texts = map[string]func() string{
			"/setup":    func() string { return prompts.RenderConnectPage(a.URL()) },
			"/llms.txt": func() string { return prompts.RenderLLMsPage(a.URL()) },
		}
	}
	if a.config.hasRole(roleAPI) && a.config.SCMWebhookSecret != "" {
		surfaces.SCM = scm.New(scm.Options{
			Secret: a.config.SCMWebhookSecret, Receive: behaviour.ReceiveReport,
			TakeTurn: a.failures.TakeTurn, RefuseCredential: a.failures.RefuseCredential, Failure: registry.Failure,
			RequestID: func(ctx context.Context) string { return api.CallerOf(ctx).RequestID },
		})
	}
	return api.New(surfaces), nil
}

// openIngest opens the path of events into the store. A server without the role ingest needs it for the test events of setups.
func (a *App) openIngest(ctx context.Context) error {
	key, err := ensureKey(ctx, a.db.Store, "user-hash")
	if err != nil {
		return err
	}
	a.ingest = ingest.New(ingest.Options{
		Store: a.db.Store, Clock: a.db.clock.tellTime, Random: rand.Reader, InstallKey: key, Log: a.log, Metrics: a.metrics.registry,
		Failures: a.failures, Blobs: a.sourceMapBlobs(),
	})
	a.stops.add("the events of hot issues", a.storeWaiting)
	a.stops.add("the commits of events", func(context.Context) error { a.ingest.Close(); return nil })
	return nil
}

// URL is the public URL of the installation.
func (a *App) URL() string { return a.db.Settings().BaseURL }

// Addr is the host and port that the server listens on.
func (a *App) Addr() string { return a.listener.Addr().String() }

// DataDir is the folder of a private installation's generated secrets; empty with DATABASE_URL.
func (a *App) DataDir() string {
	if !a.config.isPrivate() {
		return ""
	}
	return a.config.DataDir
}

// storeWaiting stores the events of hot issues that wait in memory. Those that cannot be stored are already counted.
func (a *App) storeWaiting(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWaitingAtMost)
	defer cancel()
	if err := a.db.Intake.TrimAllIssues(ctx); err != nil {
		return fmt.Errorf("some were counted and not stored: %w", err)
	}
	return nil
}

// Close stops what New started, in an order that loses nothing which was accepted: requests, events, database.
func (a *App) Close(ctx context.Context) {
	a.stops.runAllLogged(ctx)
	a.log.InfoContext(ctx, "stopped")
}
