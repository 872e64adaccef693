package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/client"
)

// printNext runs `errand next` against a server with that answer.
func printNext(t *testing.T, answer string, choose func(*client.CallOptions)) called {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
	t.Cleanup(server.Close)
	input, _ := client.NewOperationInput("next_issue")
	options := newCommandLine(server.URL).options
	var out, notes strings.Builder
	options.Streams = client.Streams{Out: &out, Notes: &notes, IsTerminal: true}
	choose(&options)
	err := input.PrintNext(t.Context(), options)
	return called{out.String(), notes.String(), err}
}

// TestNextPrintsTexts checks that a brief is printed as it is meant to be read, and that the exit code shows the end of the work.
func TestNextPrintsTexts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer, want string
		code         int
	}{
		"a brief": {`{"data":{"issue":{"id":42},"markdown":"# 42\u001b[31m\n\ntext\u202e\n","why":null}}`, "# 42[31m\n\ntext\n", 0},
		"no issue": {`{"data":{"issue":null,"markdown":"No issue for you: no open issue.\n"}}`,
			"No issue for you: no open issue.\n", 2},
		"no texts":  {`{"data":{"issue":{"id":42},"markdown":7}}`, "issue.id                 42\nmarkdown                 7\n", 0},
		"no data":   {`{"why":"x"}`, "", 1},
		"no answer": {``, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := printNext(t, test.answer, func(*client.CallOptions) {})
			require.Equal(t, test.code, done.exitCode(), done.err)
			require.Equal(t, test.want, done.out)
			require.Equal(t, test.code == 2, done.err == client.ErrNoIssue, "a mistake is another error") //nolint:errorlint // by identity
		})
	}
}

func TestNextPrintsTheFormThatIsAskedFor(t *testing.T) {
	t.Parallel()
	const issue = `{"data":{"issue":{"id":42,"title":"boom"},"markdown":"# 42\nboom","json":{"issue":{"id":42}},"why":null}}`
	const none = `{"data":{"issue":null,"markdown":"No issue for you: all done.","json":null,"why":"all done"}}`
	for name, test := range map[string]struct {
		choose     func(*client.CallOptions)
		want, left string
	}{
		"json": {func(o *client.CallOptions) { o.JSON = true }, issue + "\n", none + "\n"},
		"table": {func(o *client.CallOptions) { o.Table = true },
			"issue.id                 42\nissue.title              boom\nwhy\n",
			"issue\nwhy                      all done\n"},
		"columns": {func(o *client.CallOptions) { o.Columns = []string{"issue.id"} }, "issue.id                 42\n", "issue.id\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := printNext(t, issue, test.choose)
			require.NoError(t, done.err)
			require.Equal(t, test.want, done.out)

			done = printNext(t, none, test.choose)
			require.Equal(t, 2, done.exitCode())
			require.Equal(t, test.left, done.out)
		})
	}
}
