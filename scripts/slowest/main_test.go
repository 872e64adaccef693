package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const run = `{"Action":"start","Package":"e2e"}
{"Action":"run","Package":"e2e","Test":"TestFast"}
{"Action":"output","Package":"e2e","Test":"TestFast","Output":"=== RUN   TestFast\n"}
{"Action":"output","Package":"e2e","Test":"TestFast","Output":"    measured: 3\n"}
{"Action":"output","Package":"e2e","Test":"TestSlow/part","Output":"    what is wrong\n"}
{"Action":"output","Package":"e2e","Test":"TestStuck","Output":"panic: test timed out\n"}
{"Action":"output","Package":"e2e","Test":"TestFast","Output":"--- PASS: TestFast (0.50s)\n"}
{"Action":"pass","Package":"e2e","Test":"TestFast","Elapsed":0.5}
{"Action":"fail","Package":"e2e","Test":"TestSlow/part","Elapsed":11}
{"Action":"output","Package":"e2e","Test":"TestSlow","Output":"--- FAIL: TestSlow (12.00s)\n"}
{"Action":"fail","Package":"e2e","Test":"TestSlow","Elapsed":12}
{"Action":"output","Package":"e2e","Output":"FAIL\te2e\t12.5s\n"}
{"Action":"fail","Package":"e2e","Elapsed":12.5}
exit status 1
`

const table = `
the slowest tests, in seconds
   12.0  TestSlow
    0.5  TestFast
`

// show returns what is shown of a run.
func show(t *testing.T, all bool) string {
	t.Helper()
	var out strings.Builder
	r := report{out: &out, all: all, printed: map[string]string{}}
	require.NoError(t, r.readEvents(strings.NewReader(run)))
	require.NoError(t, r.writeTable())
	return out.String()
}

func TestFailuresAreShownThenTheSlowest(t *testing.T) {
	t.Parallel()
	require.Equal(t, "    what is wrong\n--- FAIL: TestSlow (12.00s)\nFAIL\te2e\t12.5s\npanic: test timed out\nexit status 1\n"+table,
		show(t, false))
}

func TestWhatPassingTestsPrintIsShownOnRequest(t *testing.T) {
	t.Parallel()
	got := show(t, true)
	require.Contains(t, got, "    measured: 3\n    what is wrong\n")
	require.NotContains(t, got, "=== RUN")
	require.True(t, strings.HasSuffix(got, table), got)
}
