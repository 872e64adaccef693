package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
)

// asProcess1 is set in the process that TestReapOrphans runs as process 1.
const asProcess1 = "ERRAND_TEST_AS_PROCESS_1"

// TestReapOrphans runs this test again as process 1 of a namespace, as in a container.
func TestReapOrphans(t *testing.T) {
	t.Parallel()
	if os.Getenv(asProcess1) != "" {
		reapAsProcess1(t)
		return
	}
	unshare := []string{"--user", "--map-root-user", "--pid", "--fork", "--mount-proc"}
	if os.Geteuid() == 0 {
		unshare = unshare[2:]
	}
	if text, err := exec.Command("unshare", append(unshare, "true")...).CombinedOutput(); err != nil {
		t.Skipf("this system allows no namespace of processes: %v: %s", err, text)
	}
	cmd := exec.CommandContext(t.Context(), "unshare", append(unshare, os.Args[0], "-test.run=^TestReapOrphans$", "-test.count=1")...)
	cmd.Env = append(os.Environ(), asProcess1+"=1")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
}

func reapAsProcess1(t *testing.T) {
	require.Equal(t, 1, os.Getpid())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() { app.ReapOrphans(ctx); close(done) }()

	const orphans = 5
	marker := filepath.Join(t.TempDir(), "orphans")
	script := fmt.Sprintf(`for n in $(seq %d); do (sh -c 'sleep 0.1; echo >> %s' &); done`, orphans, marker)
	require.NoError(t, exec.Command("sh", "-c", script).Run())
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(marker)
		return err == nil && bytes.Count(text, []byte("\n")) == orphans
	}, atMost, every)
	for n := range 20 { // the test's own children keep their results
		err := exec.Command("sh", "-c", fmt.Sprintf("exit %d", n)).Run()
		var exit *exec.ExitError
		require.True(t, n == 0 && err == nil || errors.As(err, &exit) && exit.ExitCode() == n, "%d: %v", n, err)
	}
	require.Eventually(t, func() bool { return countZombies(t) == 0 }, atMost, every)
	cancel()
	<-done
}

// countZombies counts ended processes that are not collected.
func countZombies(t *testing.T) (n int) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, e := range entries {
		if text, err := os.ReadFile(e); err == nil && strings.Contains(string(text), ") Z ") {
			n++
		}
	}
	return n
}
