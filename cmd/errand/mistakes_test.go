package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// asErrand makes the binary of the tests behave as errand.
const asErrand = "TEST_AS_ERRAND"

func TestMain(m *testing.M) {
	if os.Getenv(asErrand) != "" {
		main()
		os.Exit(0)
	}
	storetest.Main(m)
}

// ended is what a process of errand printed into pipes, and its exit code.
type ended struct {
	out, errors string
	code        int
}

func runErrand(t *testing.T, env []string, args ...string) ended {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...) //nolint:gosec // the tests' own binary
	command.Env = append(os.Environ(), append([]string{asErrand + "=yes", "LOG_FORMAT=", "ERRAND_URL=", "ERRAND_TOKEN="}, env...)...)
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	err := command.Run()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	return ended{out.String(), problems.String(), command.ProcessState.ExitCode()}
}

// TestMistakesAreText makes mistakes in command lines whose output is a pipe: people and agents read the same text as on a terminal.
func TestMistakesAreText(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"bogus":                              {80, "errand: unexpected argument bogus\nerrand --help lists the commands.\n"},
		"serve --bogus":                      {80, "errand: unknown flag --bogus\nerrand serve --help lists its flags.\n"},
		"migrate --log-level=loud":           {80, "\nerrand migrate --help lists its flags.\n"},
		"deploy --project=x":                 {80, "errand: missing flags: --commit=STRING\nerrand deploy --help lists its flags.\n"},
		"sourcemaps upload":                  {80, "\nerrand sourcemaps upload --help lists its flags.\n"},
		"token create --name=x --scope=root": {80, "\nerrand token create --help lists its flags.\n"},
		"demo --bogus":                       {80, "errand: unknown flag --bogus\nerrand demo --help lists its flags.\n"},
		"user create":                        {80, "errand: missing flags: --email=STRING\nerrand user create --help lists its flags.\n"},
		"mcp-config --client=x":              {1, "errand: client must be one of "},
		"call":                               {2, "\nerrand call --list lists the operations.\n"},
		"call list_isues":                    {2, "did you mean \"list_issues\"?\nerrand call --list lists the operations.\n"},
		"call get_issue --id=x":              {2, "errand: where does Errand run? Set ERRAND_URL, or --url\nerrand call get_issue --help lists"},
		"next --bogus":                       {2, "errand: unknown flag --bogus\nerrand next --help lists its flags.\n"},
		"":                                   {80, "Take the next issue to work on and print its brief"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			for _, format := range []string{"", "text", "json"} {
				done := runErrand(t, []string{"LOG_FORMAT=" + format}, strings.Fields(line)...)
				isServer := strings.HasPrefix(line, "serve") || strings.HasPrefix(line, "migrate")
				require.Equal(t, want.code, done.code)
				require.Empty(t, done.out)
				if isServer && format != "text" {
					require.True(t, strings.HasPrefix(done.errors, `{"time":`), done.errors)
					continue
				}
				require.Contains(t, done.errors, want.text)
				require.Regexp(t, `(?m)^errand: `, done.errors)
			}
		})
	}
}

// TestErrorsCannotSteerATerminal reads a server's error whose texts contain control characters.
func TestErrorsCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte("{\"error\":\"claimed\",\"claim\":{\"holder\":\"a\u009b2Jb\u202ec\"},\"hint\":\"\\u001b[2Jx\"}"))
	}))
	defer server.Close()

	done := runErrand(t, []string{"ERRAND_URL=" + server.URL, "ERRAND_TOKEN=x"}, "call", "whoami")

	require.Equal(t, 1, done.code)
	require.Contains(t, done.errors, `claim: {"holder":"a2Jbc"}`)
	require.Contains(t, done.errors, "\n[2Jx\n")
	require.NotRegexp(t, `[\x1b\x{80}-\x{9f}\x{202e}]`, done.errors)
}

// TestNextEndsALoop runs a script's loop: the exit code shows the end of the work, and standard output the reason.
func TestNextEndsALoop(t *testing.T) {
	t.Parallel()
	const none = `{"data":{"issue":null,"markdown":"No issue for you: no open issue.\n","json":null,"why":"no open issue","yours":[]}}`
	answers := make(chan string, 4)
	answers <- `{"data":{"issue":{"id":1},"markdown":"# 1\n"}}`
	answers <- `{"data":{"issue":{"id":2},"markdown":"# 2\n"}}`
	answers <- none
	answers <- none
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(<-answers)) }))
	defer server.Close()
	env := []string{"ERRAND_URL=" + server.URL, "ERRAND_TOKEN=x"}

	require.Equal(t, ended{"# 1\n", "", 0}, runErrand(t, env, "next"))
	require.Equal(t, ended{"# 2\n", "", 0}, runErrand(t, env, "next"))
	require.Equal(t, ended{"No issue for you: no open issue.\n", "", 2}, runErrand(t, env, "next"))
	require.Equal(t, ended{none + "\n", "", 2}, runErrand(t, env, "next", "--json"))
	help := runErrand(t, nil, "next", "--help")
	require.Zero(t, help.code)
	require.Contains(t, strings.Join(strings.Fields(help.out), " "), "Exit codes: 0 with an issue; 2 without one")
}

func TestTablesTakeTheWidthOfCOLUMNS(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":1,"title":"` + strings.Repeat("x", 300) + `","status":"unresolved"}]}`))
	}))
	defer server.Close()
	for columns, want := range map[string]int{"": 120, "60": 60, "250": 250, "many": 120, "-3": 120} {
		env := []string{"ERRAND_URL=" + server.URL, "ERRAND_TOKEN=x", "COLUMNS=" + columns}
		lines := strings.Split(runErrand(t, env, "call", "list_issues", "--table").out, "\n")
		require.Len(t, []rune(lines[1]), want, columns)
	}
}
