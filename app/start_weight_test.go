package app_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
	"errand/testkit/race"
)

// startsAt names the database on which TestAStartAllocatesLittle starts a server in its own process.
const startsAt = "ERRAND_TEST_STARTS_AT"

// mostAllocated is the most that a process allocates until it serves, in bytes. Schemas, documents, templates and pages are
// made when they are first needed: a start waits for what it allocates, and an idle server keeps it.
const mostAllocated = 9 << 20

func TestAStartAllocatesLittle(t *testing.T) {
	if url := os.Getenv(startsAt); url != "" {
		reportStart(t, url)
		return
	}
	if race.Enabled {
		t.Skip("the race detector allocates too")
	}
	t.Parallel()
	url := storetest.NewURL(t)
	child := func() int {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAStartAllocatesLittle$", "-test.v")
		cmd.Env = append(os.Environ(), startsAt+"="+url)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		_, after, found := strings.Cut(string(out), "allocated ")
		require.True(t, found, string(out))
		bytes, err := strconv.Atoi(strings.Fields(after)[0])
		require.NoError(t, err)
		return bytes
	}
	child()
	bytes := child()
	t.Logf("%d bytes until it serves", bytes)
	require.Less(t, bytes, mostAllocated)
}

// reportStart starts a server and prints what the process has allocated since its beginning, with all its packages.
func reportStart(t *testing.T, url string) {
	a, err := app.New(t.Context(), configWithJobs(url), "0.0.0", (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	defer a.Close(t.Context())
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	t.Logf("allocated %d", after.TotalAlloc)
}
