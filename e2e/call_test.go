//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommandLine is what a script on the command line sees: output, and the exit codes of commands.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, slug := s.makeProject("Web shop")
	for name, test := range map[string]struct {
		args []string
		code int
		out  string // a part of standard output, or else of standard error
	}{
		"a list":             {[]string{"call", "list_projects"}, 0, `{"data":[{`},
		"options first":      {[]string{"call", "--table", "list_projects", "--columns", "slug"}, 0, slug},
		"an empty value":     {[]string{"call", "list_issues", "--search", ""}, 1, "search must have at least 1 character"},
		"the end of a value": {[]string{"call", "list_issues", "--search=a="}, 0, `{"data":[]`},
		"all operations":     {[]string{"call", "--list"}, 0, "claim_issue          Claim an issue"},
		"help":               {[]string{"call", "claim_issue", "--help"}, 0, "How long the claim lasts"},
		"no operation":       {[]string{"call"}, 2, "expected one of"},
		"a mistyped one":     {[]string{"call", "list_isues"}, 2, `did you mean "list_issues"?`},
		"a mistyped flag":    {[]string{"call", "list_issues", "--projct=x"}, 2, `did you mean "--project"?`},
		"nothing there":      {[]string{"call", "get_issue", "--id=7"}, 1, "The lists show what exists: list_issues"},
		"and as JSON":        {[]string{"next", "--json"}, 2, `"why":"no open issue"`},
		"no issue":           {[]string{"next"}, 2, "No issue for you: no open issue."},
		"what is missing":    {[]string{"call", "get_issue"}, 2, "errand: missing: --id"},
		"no command":         {[]string{"lst"}, 80, "errand: unexpected argument lst\nerrand --help"},
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command("../bin/errand", test.args...)
			command.Env = append(os.Environ(), "ERRAND_URL="+s.url, "ERRAND_TOKEN="+adminToken)
			var out, notes bytes.Buffer
			command.Stdout, command.Stderr = &out, &notes

			err := command.Run()

			var failed *exec.ExitError
			if errors.As(err, &failed) {
				require.Equal(t, test.code, failed.ExitCode(), notes.String())
			} else {
				require.NoError(t, err)
				require.Zero(t, test.code)
			}
			require.Contains(t, out.String()+notes.String(), test.out)
			require.NotContains(t, notes.String(), adminToken)
		})
	}
}

// TestNextPrintsTheBrief takes an issue as an agent with a shell does: it reads Markdown, even without a terminal.
func TestNextPrintsTheBrief(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	demo := errandCommand(t, s.dataDir, nil, "demo")
	printed, err := demo.CombinedOutput()
	require.NoError(t, err, string(printed))
	next := func(args ...string) (string, int) {
		command := exec.Command("../bin/errand", append([]string{"next"}, args...)...)
		command.Env = append(os.Environ(), "ERRAND_URL="+s.url, "ERRAND_TOKEN="+adminToken)
		out, err := command.Output()
		var failed *exec.ExitError
		require.True(t, err == nil || errors.As(err, &failed), err)
		return string(out), command.ProcessState.ExitCode()
	}

	brief, code := next()
	require.Zero(t, code)
	data, code := next("--json")
	require.Zero(t, code)
	left, code := "", 0
	for worker := 0; code == 0; worker++ { // until the demo has no open issue
		require.Less(t, worker, 20)
		left, code = next(fmt.Sprintf("--worker=w%d", worker))
	}
	require.Equal(t, 2, code)

	require.Regexp(t, `^issue_id=\d+ project=demo-shop .*\n\n# Errand issue \d+: `, brief)
	require.Regexp(t, `^{"data":{"issue":{"id":\d+,`, data)
	require.Regexp(t, `^No issue for you: of the open issues \d+ are claimed`, left)
}
