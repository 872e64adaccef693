package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
)

// TestCallPrintsTexts holds that a brief is printed as it is meant to be read, and an answer without one like any other.
func TestCallPrintsTexts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"a brief":  {`{"data":{"issue":{"id":42},"markdown":"# 42\u001b[31m\n\ntext\u202e\n","why":null}}`, "# 42[31m\n\ntext\n"},
		"none":     {`{"data":{"issue":null,"markdown":"No issue for you: no open issue.\n"}}`, "No issue for you: no open issue.\n"},
		"no data":  {`{"why":"x"}`, "why                      x\n"},
		"no texts": {`{"data":{"markdown":7}}`, "markdown                 7\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(test.body)) }))
			defer server.Close()
			input, _ := app.NewOperationInput("whoami")
			options := newCommandLine(server.URL).options
			var out, notes strings.Builder
			options.Streams = app.Streams{Out: &out, Notes: &notes, IsTerminal: true}

			require.NoError(t, input.PrintText(t.Context(), options, "markdown"))

			require.Equal(t, test.want, out.String())
		})
	}
}

func TestCallPrintsTextsInTheFormThatIsAskedFor(t *testing.T) {
	t.Parallel()
	const body = `{"data":{"issue":{"id":42},"markdown":"# 42"}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
	t.Cleanup(server.Close)
	for name, test := range map[string]struct {
		choose func(*app.CallOptions)
		want   string
	}{
		"json":    {func(o *app.CallOptions) { o.JSON = true }, body + "\n"},
		"table":   {func(o *app.CallOptions) { o.Table = true }, "issue.id                 42\nmarkdown                 # 42\n"},
		"columns": {func(o *app.CallOptions) { o.Columns = []string{"issue.id"} }, "issue.id                 42\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input, _ := app.NewOperationInput("whoami")
			options := newCommandLine(server.URL).options
			var out strings.Builder
			options.Streams = app.Streams{Out: &out, Notes: &out, IsTerminal: true}
			test.choose(&options)

			require.NoError(t, input.PrintText(t.Context(), options, "markdown"))

			require.Equal(t, test.want, out.String())
		})
	}
}
