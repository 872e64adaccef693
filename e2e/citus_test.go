//go:build e2e

package e2e

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
	"errand/testkit/citus"
)

// These variables name the folders of the nodes of citus.ListNodes, and the folder of the programs of Postgres. scripts/try-citus sets
// them.
const (
	citusFolders = "CITUS_FOLDERS"
	citusBin     = "CITUS_BIN"
)

func isOnCitus() bool { return len(citus.ListNodes()) > 0 }

// citusDatabases has the databases of servers on Citus, by their data folders.
var citusDatabases sync.Map

// withDatabase returns the variables that say where a server or a command on a data folder has its data: in the private Postgres, except
// on Citus, where it gets all that a private installation makes for itself.
func withDatabase(t *testing.T, dir string, env []string) []string {
	t.Helper()
	if !isOnCitus() || slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "DATABASE_URL=") }) {
		return []string{"DATABASE_URL="}
	}
	key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	return []string{"DATABASE_URL=" + databaseOnCitus(t, dir), "BLOBS=file://" + filepath.Join(dir, "blobs"), "ENCRYPTION_KEYS=tests:" + key}
}

// databaseOnCitus returns the URL of the database for a data folder.
func databaseOnCitus(t *testing.T, dir string) string {
	t.Helper()
	if known, ok := citusDatabases.Load(dir); ok {
		return known.(string)
	}
	made := storetest.NewURL(t)
	citusDatabases.Store(dir, made)
	return made
}

// newDatabase returns the URL of an empty database on a Postgres of its own, or of one on Citus.
func newDatabase(t *testing.T) string {
	t.Helper()
	if isOnCitus() {
		return storetest.NewURL(t)
	}
	return startPostgres(t, newDir(t)).URL()
}

// citusNode is a Postgres of the cluster.
type citusNode struct {
	t   *testing.T
	dir string
}

// listNodes returns the nodes of the cluster, the coordinator first, for a test that kills them. It has the cluster for itself.
func listNodes(t *testing.T) []citusNode {
	t.Helper()
	var nodes []citusNode
	for _, dir := range strings.Fields(os.Getenv(citusFolders)) {
		nodes = append(nodes, citusNode{t, dir})
	}
	if len(nodes) == 0 {
		t.Skip("only on Citus: make citus")
	}
	return nodes
}

// kill ends the node like a crash. When the test ends it runs again.
func (n citusNode) kill() {
	n.t.Helper()
	pid := postmasterOf(n.t, n.dir)
	n.t.Cleanup(n.start)
	require.NoError(n.t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(n.t, func() bool { return syscall.Kill(pid, 0) != nil }, 10*time.Second, 10*time.Millisecond, "it ends")
}

// freeze stops the node without ending its connections, until thaw is called.
func (n citusNode) freeze() (thaw func()) {
	n.t.Helper()
	pid := postmasterOf(n.t, n.dir)
	processes := append(childrenOf(n.t, pid), pid)
	signal := func(s syscall.Signal) {
		for _, process := range processes {
			_ = syscall.Kill(process, s) // a backend may have ended
		}
	}
	thaw = sync.OnceFunc(func() { signal(syscall.SIGCONT) })
	n.t.Cleanup(thaw)
	signal(syscall.SIGSTOP)
	return thaw
}

func childrenOf(t *testing.T, pid int) (children []int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", pid))
	require.NoError(t, err)
	for _, field := range strings.Fields(string(text)) {
		child, err := strconv.Atoi(field)
		require.NoError(t, err)
		children = append(children, child)
	}
	return children
}

// start starts the node unless it runs, and waits until it answers. The backends of a killed Postgres take a moment to end.
func (n citusNode) start() {
	n.t.Helper()
	require.Eventually(n.t, func() bool {
		return n.control("status").Run() == nil || n.control("start").Run() == nil
	}, time.Minute, 100*time.Millisecond, "the node does not start")
}

func (n citusNode) control(what string) *exec.Cmd {
	return exec.Command("setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups",
		filepath.Join(os.Getenv(citusBin), "pg_ctl"), "-D", n.dir, "-l", n.dir+".log", "-w", what)
}
