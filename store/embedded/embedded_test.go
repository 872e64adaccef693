package embedded

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestColdThenWarmStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(newDir(t), "data + space %")

	began := time.Now()
	s, err := Start(t.Context(), Options{Dir: dir}) // synced to disk, as in real use
	require.NoError(t, err)
	t.Logf("cold start: %s", time.Since(began))
	conn := connect(t, s.URL())
	execStatement(t, conn, "CREATE TABLE t (n int); INSERT INTO t VALUES (7)")
	require.NoError(t, s.Stop(t.Context()))

	began = time.Now()
	s = startServer(t, dir)
	t.Logf("warm start: %s", time.Since(began))
	conn = connect(t, s.URL())
	require.Equal(t, 7, queryValue[int](t, conn, "SELECT n FROM t"))
}

func TestServerIsPrivateAndSetUp(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	s, err := Start(t.Context(), Options{Dir: dir, Settings: map[string]string{
		"fsync": "off", "work_mem": "5MB", "max_connections": "23", "listen_addresses": "*",
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	conn := connect(t, s.URL())

	for name, want := range map[string]string{
		"listen_addresses":                "",
		"unix_socket_permissions":         "0700",
		"max_parallel_workers_per_gather": "0",
		"shared_buffers":                  "16MB",
		"max_wal_size":                    "192MB",
		"max_connections":                 "23",
		"work_mem":                        "5MB",
		"data_checksums":                  "on",
		"server_encoding":                 "UTF8",
	} {
		require.Equal(t, want, queryValue[string](t, conn, "SHOW "+name), name)
	}
	best := queryValue[string](t, conn,
		`SELECT CASE WHEN 'lz4' = ANY (enumvals) THEN 'lz4' ELSE 'pglz' END FROM pg_settings WHERE name = 'wal_compression'`)
	require.Equal(t, best, queryValue[string](t, conn, "SHOW wal_compression"))
	require.Equal(t, "C", queryValue[string](t, conn, "SELECT datcollate FROM pg_database WHERE datname = 'errand'"))
	require.Equal(t, "errand", queryValue[string](t, conn, "SELECT current_database()"))

	u, err := url.Parse(s.URL())
	require.NoError(t, err)
	requirePrivate(t, u.Query().Get("host"))
	requirePrivate(t, filepath.Join(dir, "postgres"))
	log, err := os.Stat(filepath.Join(dir, "postgres.log"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), log.Mode().Perm())
}

func TestMemorySizesPostgresAndItsLogOfChanges(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Options{Dir: newDirWithData(t), Settings: noSync, Memory: 1024, Connections: 19})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	conn := connect(t, s.URL())

	require.Equal(t, "1GB", queryValue[string](t, conn, "SHOW shared_buffers"))
	require.Equal(t, "3GB", queryValue[string](t, conn, "SHOW max_wal_size"))
	require.Equal(t, "4GB", queryValue[string](t, conn, "SHOW effective_cache_size"))
	require.Equal(t, "39", queryValue[string](t, conn, "SHOW max_connections"))
}

// requirePrivate checks that only the user of Postgres, which is never root, may enter the folder.
func requirePrivate(t *testing.T, dir string) {
	t.Helper()
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	owner := info.Sys().(*syscall.Stat_t).Uid
	require.NotZero(t, owner)
	if !asRoot() {
		require.Equal(t, uint32(os.Geteuid()), owner)
	}
}

func TestSecondServerOnTheSameData(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	h := startHelper(t, dir)
	conn := connect(t, h.url(t))

	_, err := Start(t.Context(), Options{Dir: dir})
	require.ErrorIs(t, err, ErrRunning)
	require.ErrorContains(t, err, fmt.Sprintf("another errand is running on %s (pid %d)", dir, h.cmd.Process.Pid))
	require.Equal(t, 1, queryValue[int](t, conn, "SELECT 1"), "the first server keeps working")
}

func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(text)
}

func TestStop(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	s := startServer(t, dir)
	pid := postmasterPID(t, dir)
	conn := connect(t, s.URL())

	stopped := make(chan error, 2)
	for range 2 {
		go func() { stopped <- s.Stop(context.Background()) }()
	}
	require.NoError(t, <-stopped)
	require.NoError(t, <-stopped)
	require.NoError(t, s.Stop(t.Context()), "again")

	require.True(t, isGone(pid))
	require.Error(t, conn.Ping(t.Context()))
	_, err := pgx.Connect(t.Context(), s.URL())
	require.Error(t, err)
	startServer(t, dir) // the lock is free
}

func TestRunningURL(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	_, err := RunningURL(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
	s := startServer(t, dir)
	running, err := RunningURL(dir)
	require.NoError(t, err)
	require.Equal(t, s.URL(), running)
}

func TestDataDirThatCannotHoldTheSocket(t *testing.T) {
	t.Parallel()
	for name, dirName := range map[string]string{"too long": strings.Repeat("long", 30), "comma": "a,b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(newDir(t), dirName)
			require.NoError(t, os.Rename(newDirWithData(t), dir))
			requireSocketElsewhere(t, dir)
		})
	}
}

func requireSocketElsewhere(t *testing.T, dir string) {
	t.Helper()
	s := startServer(t, dir)
	u, err := url.Parse(s.URL())
	require.NoError(t, err)
	socket := u.Query().Get("host")
	require.False(t, strings.HasPrefix(socket, dir))
	require.LessOrEqual(t, len(filepath.Join(socket, socketFile)), 103)
	requirePrivate(t, socket)
	require.Equal(t, 1, queryValue[int](t, connect(t, s.URL()), "SELECT 1"))
	running, err := RunningURL(dir)
	require.NoError(t, err)
	require.Equal(t, s.URL(), running)

	// Leftovers of a killed server in there do not matter.
	require.NoError(t, s.Stop(t.Context()))
	require.NoDirExists(t, socket)
	require.NoError(t, os.Mkdir(socket, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(socket, socketFile), nil, 0o600))
	s = startServer(t, dir)
	requirePrivate(t, socket)
	require.Equal(t, 1, queryValue[int](t, connect(t, s.URL()), "SELECT 1"))
}

func TestWrongMajor(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	version := filepath.Join(dir, "postgres", "PG_VERSION")
	actual := strings.TrimSpace(readFile(t, version))
	require.NoError(t, os.WriteFile(version, []byte("13\n"), 0o600))

	msg := startFails(t, Options{Dir: dir})
	for _, part := range []string{dir, "PostgreSQL 13", "PostgreSQL " + actual, "apt install postgresql-13", "POSTGRES_BIN"} {
		require.Contains(t, msg, part)
	}
	require.Equal(t, "13\n", readFile(t, version), "the data is untouched")
}

func TestForeignFilesInPlaceOfTheCluster(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "postgres"), 0o755))
	file := filepath.Join(dir, "postgres", "precious")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Contains(t, startFails(t, Options{Dir: dir}), "not the data folder of a Postgres")
	require.FileExists(t, file)
}

func TestBadSettingFailsWithTheReason(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	msg := startFails(t, Options{Dir: dir, Settings: map[string]string{"shared_buffers": "lots"}})
	require.Contains(t, msg, `invalid value for parameter "shared_buffers"`)
	startServer(t, dir)
}

func TestUnreachableDataDir(t *testing.T) {
	t.Parallel()
	if !asRoot() {
		t.Skip("only root runs Postgres as another user")
	}
	parent := t.TempDir()
	require.NoError(t, os.Chmod(parent, 0o700))
	msg := startFails(t, Options{Dir: filepath.Join(parent, "data")})
	require.Contains(t, msg, "may not enter "+parent)
	require.Contains(t, msg, "chmod o+x "+parent)
}

func TestDataOfAnotherUser(t *testing.T) {
	t.Parallel()
	if !asRoot() {
		t.Skip("only root can give data to another user")
	}
	dir := newDirWithData(t)
	data := filepath.Join(dir, "postgres")

	out, err := exec.Command("chown", "-R", "nobody", data).CombinedOutput()
	require.NoError(t, err, string(out))
	s := startServer(t, dir)
	info, err := os.Stat(filepath.Join(data, socketFile))
	require.NoError(t, err)
	nobody, err := os.Stat(data)
	require.NoError(t, err)
	require.Equal(t, nobody.Sys().(*syscall.Stat_t).Uid, info.Sys().(*syscall.Stat_t).Uid, "its owner runs it")
	require.NoError(t, s.Stop(t.Context()))

	require.NoError(t, os.Chown(data, 0, 0))
	require.Contains(t, startFails(t, Options{Dir: dir}), "chown -R postgres "+data)
}

func TestNoDataDirGiven(t *testing.T) {
	t.Parallel()
	require.Contains(t, startFails(t, Options{}), "DATA_DIR")
}

func TestDatabaseIsMadeWhenAStartWasCutShort(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	s := startServer(t, dir)
	conn := connect(t, s.urlOf("postgres"))
	execStatement(t, conn, "DROP DATABASE errand")
	require.NoError(t, s.Stop(t.Context()))

	conn = connect(t, startServer(t, dir).URL())
	require.Equal(t, 1, queryValue[int](t, conn, "SELECT 1"))
}
