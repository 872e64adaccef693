// Package embedded runs the private Postgres: when no DATABASE_URL is set, Errand keeps its own
// Postgres in DATA_DIR (decisions 2), run by the binaries that it finds on the machine.
//
// The layout of DATA_DIR: postgres/ is the cluster, postgres.log the server's log (postgres.log.1
// the part before it), errand.lock the lock that keeps a second Errand out. Postgres listens on a
// unix socket in a folder that only its own user and root may enter, and on no network address.
//
// Started by root, Postgres runs as the user "errand", else "postgres", else "nobody", because it
// refuses to run as root. Data is upgraded to another major version by Upgrade alone, which keeps the
// old data in postgres.<version>.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	clusterDir   = "postgres" // in DATA_DIR
	databaseName = "errand"
	superuser    = "errand"
	port         = "5432" // names the socket file only
)

// Options says where the private Postgres lives and how it runs.
type Options struct {
	// Dir is Errand's data folder (DATA_DIR). It is made when it does not exist. Every folder
	// above it must be open (mode o+x) to the user that runs Postgres.
	Dir string
	// Log receives starts, unexpected ends and restarts. Nil discards them.
	Log *slog.Logger
	// Settings are further server settings by their postgresql.conf names, such as fsync=off in
	// tests. They win over the package's defaults, but cannot open a network address.
	Settings map[string]string
	// Memory is the shared memory of Postgres in MB (POSTGRES_MEMORY), at least MinMemory. Its log
	// of changes, pg_wal, may take three times as much on the disk, or 192 MB if that is more.
	Memory int
	// Connections is the most connections of the server (DATABASE_POOL). Commands may make some more beside it.
	Connections int
	// Binaries is the folder of postgres and initdb (POSTGRES_BIN). Empty means: look in the
	// places where packages put them, and on PATH.
	Binaries string
}

// Server is a running private Postgres. Its methods may be called from several goroutines.
type Server struct {
	log     *slog.Logger
	cluster cluster
	socket  socketDir
	lock    *os.File
	logFile logFile
	reserve reserve
	command func() *exec.Cmd

	stop    context.CancelFunc // begins the shutdown
	hurry   context.CancelFunc // ends the time for a clean one
	exits   chan error         // the first unexpected ends, for Start
	done    chan struct{}      // closed when postgres has ended for good
	stopErr error              // set before done is closed
}

// Start starts the private Postgres, making the cluster first when there is none, and returns when
// it accepts connections and the database "errand" exists. A Postgres that an earlier, killed
// Errand left behind on the same data is shut down first.
//
// The errors are written for the person who starts Errand: no binaries, data of another major
// version, a folder that the Postgres user may not enter, another Errand on the same data
// (ErrRunning). When Start fails or ctx ends before it returns, nothing is left running. Once it
// has returned, ctx has no effect: the caller ends the server with Stop.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	dir, err := makeDataDir(o.Dir)
	if err != nil {
		return nil, err
	}
	lock, err := lockDataDir(dir)
	if err != nil {
		return nil, err
	}
	s, err := prepareServer(ctx, dir, o)
	if err != nil {
		return nil, errors.Join(err, unlockDataDir(lock))
	}
	s.lock = lock
	if err := s.startPostgres(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// startPostgres starts postgres and waits until it is ready. After an error nothing is left running.
func (s *Server) startPostgres(ctx context.Context) error {
	if err := s.clearLeftovers(ctx); err != nil {
		return errors.Join(err, s.freeResources())
	}
	running, stop := context.WithCancel(context.Background())
	patience, hurry := context.WithCancel(context.Background())
	s.stop, s.hurry = stop, hurry
	go s.supervise(running, patience)
	if err := s.waitReady(ctx); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), failedStartWait)
		defer cancel()
		if stopErr := s.Stop(stopCtx); stopErr != nil {
			s.log.Warn("stopping the private postgres after a failed start", "error", stopErr)
		}
		return err
	}
	return nil
}

// prepareServer does everything that comes before the first postgres process. The caller holds the lock.
func prepareServer(ctx context.Context, dir string, o Options) (*Server, error) {
	c := cluster{dir: filepath.Join(dir, clusterDir), log: o.Log}
	if err := c.finishUpgrade(ctx); err != nil {
		return nil, err
	}
	if err := c.inspect(); err != nil {
		return nil, err
	}
	if err := c.account.canReach(dir); err != nil {
		return nil, err
	}
	f := finder{account: c.account, override: o.Binaries, overrideName: binariesVariable, folders: usualFolders()}
	bin, err := f.findBinaries(ctx, c.major)
	if err != nil {
		if c.major != 0 {
			return nil, fmt.Errorf("%s: %w", c.dir, err)
		}
		return nil, err
	}
	if err := c.create(ctx, bin, o.Settings["fsync"] != "off"); err != nil {
		return nil, err
	}
	return newServer(ctx, c, bin, o)
}

// newServer returns the server of a cluster that is there, not running yet. It holds no lock.
func newServer(ctx context.Context, c cluster, bin binaries, o Options) (*Server, error) {
	socket, err := makeSocketDir(c.dir, c.account)
	if err != nil {
		return nil, err
	}
	args := []string{"-D", c.dir, "-c", "wal_compression=" + c.walCompression(ctx, bin)}
	args = append(args, o.settingArgs(socket.path)...)
	return &Server{
		log:     o.Log,
		cluster: c,
		socket:  socket,
		logFile: logFile{path: c.dir + ".log"},
		reserve: newReserve(filepath.Dir(c.dir), o.Log),
		command: func() *exec.Cmd {
			// SIGINT is Postgres's fast shutdown: sessions are ended, data is written out.
			return c.account.makeCommand(syscall.SIGINT, bin.path("postgres"), args...)
		},
		exits: make(chan error, startAttempts),
		done:  make(chan struct{}),
	}, nil
}

// URL returns the connection string of the database "errand" for pgx: a unix socket, no password.
// It stays the same when Postgres is restarted.
func (s *Server) URL() string { return s.urlOf(databaseName) }

func (s *Server) urlOf(database string) string { return connectionURL(s.socket.path, database) }

func connectionURL(socketDir, database string) string {
	// Every part is explicit, so that PGPORT and its like in the environment change nothing.
	query := url.Values{"host": {socketDir}, "port": {port}, "sslmode": {"disable"}}.Encode()
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(superuser),
		Path:     "/" + database,
		RawQuery: strings.ReplaceAll(query, "+", "%20"), // in connection strings a plus is a plus
	}
	return u.String()
}

// Stop shuts Postgres down and releases the data folder: open sessions are ended and the data is
// written out. After 30 seconds, or earlier when ctx ends, Postgres is made to quit immediately: no
// commit is lost, but the next start has to recover. Stop returns when the process has ended, with an
// error when the shutdown was not clean. Further calls return the same.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	select {
	case <-s.done:
	case <-ctx.Done():
		s.hurry()
		<-s.done
	}
	return s.stopErr
}

// clearLeftovers clears the way for a new postgres process.
func (s *Server) clearLeftovers(ctx context.Context) error {
	if err := s.cluster.endLeftovers(ctx); err != nil {
		return err
	}
	return removeLockFiles(s.cluster.dir, s.socket.path)
}

// freeResources frees what the server holds besides its process.
func (s *Server) freeResources() error {
	err := s.socket.remove()
	if s.lock != nil {
		err = errors.Join(err, unlockDataDir(s.lock))
	}
	return err
}
