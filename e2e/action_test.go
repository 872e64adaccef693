//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The GitHub Action's script uploads maps and reports the deploy with its commits. What an input says is never run.
func TestAction(t *testing.T) {
	t.Parallel()
	job := newCIJob(t, startServer(t))
	job.writeFile("dist/app.js", "pay()\n//# sourceMappingURL=app.js.map\n")
	job.writeFile("dist/app.js.map", `{"version":3,"sources":["../src/pay.js"],"sourcesContent":["pay()"],"names":[],"mappings":"AAAA"}`)
	first := job.runAction(t, "INPUT_RELEASE=1.0", "INPUT_SOURCEMAPS=dist")
	require.Contains(t, first, "app.js")
	require.Len(t, job.listMaps("1.0"), 1)
	second := job.commitChange("another change")

	printed := job.runAction(t, "INPUT_RELEASE=$(touch run)`touch run`", "INPUT_COMMIT="+second)

	require.Contains(t, printed, second[:7])
	require.NoFileExists(t, filepath.Join(job.dir, "run"))
}

// runAction runs the script with inputs, beside the built program.
func (s *ciJob) runAction(t *testing.T, inputs ...string) string {
	t.Helper()
	script, err := filepath.Abs("../examples/action/report.sh")
	require.NoError(t, err)
	programs, err := filepath.Abs("../bin")
	require.NoError(t, err)
	environment := append([]string{"PATH=" + programs + ":/usr/local/bin:/usr/bin:/bin", "INPUT_PROJECT=" + s.slug,
		"INPUT_COMMIT=" + strings.TrimSpace(s.mustRun("git", "rev-parse", "HEAD"))}, inputs...)
	return s.mustRun("env", append(environment, script)...)
}
