package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is an issue in an answer of list_issues, with its members in that order.
type listed struct {
	ID        int64  `json:"id"`
	ProjectID int64  `json:"project_id"`
	Project   string `json:"project"`
	Title     string `json:"title"`
	Level     string `json:"level"`
	Status    string `json:"status"`
	TimesSeen int    `json:"times_seen"`
	Users     int    `json:"users_affected"`
	Priority  float64
	LastSeen  string         `json:"last_seen"`
	Claim     map[string]any `json:"claim"`
	Trust     string         `json:"trust"`
	Source    string         `json:"source"`
	Notes     int            `json:"notes"`
}

func newListed(id int64, title string) listed {
	return listed{ID: id, ProjectID: 9632776900, Project: "web-shop", Title: title, Level: "error", Status: "fix_pending", TimesSeen: 1234,
		Users: 56, LastSeen: "2026-11-23T16:43:43.532Z", Trust: "low", Source: "mixed", Notes: 1}
}

// answerWith starts a server that answers each call with these issues.
func answerWith(t *testing.T, issues ...listed) commandLine {
	t.Helper()
	body, err := json.Marshal(map[string]any{"data": issues, "untrusted": map[string]any{
		"paths": []string{"data[].title", "data[].claim.holder", "data[].culprit"}, "note": "Data."}})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	t.Cleanup(server.Close)
	c := newCommandLine(server.URL)
	c.isTerminal = true
	return c
}

// TestTableShowsWhatMattersFirst prints issues at every width. A column appears only with all more important ones,
// and no line is wider than the terminal.
func TestTableShowsWhatMattersFirst(t *testing.T) {
	t.Parallel()
	held := newListed(42, strings.Repeat("word ", 60))
	held.Claim = map[string]any{"holder": "fixer", "expires_at": "2026-11-23T18:43:43Z", "worker": "w1"}
	c := answerWith(t, newListed(7, "short"), held)
	order := []string{"ID", "STATUS", "TITLE", "EVENTS", "USERS", "LAST_SEEN", "CLAIM"}
	want := map[int]int{1: 1, 17: 2, 40: 3, 80: 7, 120: 7, 200: 7} // columns of the order that fit, by width
	for width := 1; width <= 220; width++ {
		c.width = width
		done := c.call(t, "list_issues")
		require.NoError(t, done.err)
		lines := strings.Split(strings.TrimSpace(done.out), "\n")
		require.Len(t, lines, 3)
		columns := strings.Fields(lines[0])
		shown := min(len(columns), len(order))
		require.Equal(t, order[:shown], columns[:shown], "width %d", width)
		for _, line := range lines {
			require.LessOrEqual(t, len([]rune(line)), max(width, len("42")), "width %d: %s", width, line)
		}
		if least := want[width]; least > 0 {
			require.Equal(t, least, shown, "width %d: %s", width, lines[0])
		}
		require.True(t, len(columns) <= len(order) || !slices.Contains(columns, "TRUST") || columns[6] == "CLAIM")
	}
	require.Contains(t, c.call(t, "list_issues").out, "fixer (w1)")
	require.Contains(t, c.call(t, "list_issues").notes, "untrusted: title, claim. Data.\n")
}

// TestTableStandsWhateverTheTitles checks that titles of any characters do not move the columns after them.
func TestTableStandsWhateverTheTitles(t *testing.T) {
	t.Parallel()
	for name, title := range map[string]struct {
		text  string
		wide  int    // shown characters that take two columns
		marks int    // shown characters that take none
		shows string // a part of the output
	}{
		"a plain one":           {"boom", 0, 0, "boom"},
		"Chinese":               {"库存不足: abc", 4, 0, "库存不足: abc"},
		"emoji":                 {"😀😀 \U0001f468\u200d\U0001f469 👍🏽 ❤\ufe0f", 5, 0, "😀😀 \U0001f468\U0001f469 👍 ❤"},
		"combining marks":       {"z" + strings.Repeat("\u0301", 500) + "algo", 0, 3, "z\u0301\u0301\u0301algo"},
		"marks at the start":    {"\u0301\u0301x", 0, 0, "x"},
		"decomposed Hangul":     {"\u1112\u1161\u11ab!", 1, 2, "\u1112\u1161\u11ab!"},
		"colours and commands":  {"\x1b[31mred\x1b]0;x\x07\u009b2J\x1b[2J", 0, 0, "[31mred]0;x2J[2J"},
		"bidi":                  {"a\u202edcb\u2066\u200f", 0, 0, "adcb"},
		"lines":                 {"a\r\nb\tc\u2028d\u0085e\vf", 0, 0, "a b c d e f"},
		"unassigned characters": {"a\U0010ffffb\U000e0fffc", 0, 0, "a\ufffdb\ufffdc"},
		"10,000 characters":     {strings.Repeat("x", 10_000), 0, 0, "xxx…"},
		"10,000 wide ones":      {strings.Repeat("漢", 10_000), 13, 0, "漢漢…"},
		"10,000 marks":          {"a" + strings.Repeat("\u0489", 10_000), 0, 3, "a\u0489\u0489\u0489"},
		"nothing that is shown": {"\u200b\u202e", 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answerWith(t, newListed(7, title.text), newListed(8, strings.Repeat("y", 20)))
			c.width = 79
			done := c.call(t, "list_issues")
			require.NoError(t, done.err)
			lines := strings.Split(strings.TrimSuffix(done.out, "\n"), "\n")
			require.Len(t, lines, 3)
			require.Contains(t, lines[1], title.shows)
			before, _, found := strings.Cut(lines[1], "1234 ")
			require.True(t, found, lines[1])
			at := len([]rune(before)) + title.wide - title.marks
			require.Equal(t, strings.Index(lines[2], "1234 "), at, "%s", done.out)
			require.Equal(t, strings.Index(lines[0], "EVENTS"), at)
		})
	}
}

func TestTableTakesColumnsByTheirNames(t *testing.T) {
	t.Parallel()
	held := newListed(7, strings.Repeat("title ", 40))
	held.Claim = map[string]any{"holder": "fixer", "worker": nil}
	c := answerWith(t, held, newListed(8, "boom"))

	both := c.call(t, "list_issues", "--columns=id,events,times_seen,users,claim,claim.holder,LAST_SEEN")
	require.Equal(t, "ID  EVENTS  TIMES_SEEN  USERS  CLAIM  CLAIM.HOLDER  LAST_SEEN\n"+
		"7   1234    1234        56     fixer  fixer         2026-11-23T16:43:43.532Z\n"+
		"8   1234    1234        56                          2026-11-23T16:43:43.532Z\n", both.out)
	require.NotContains(t, both.notes, "No row has")

	long := c.call(t, "list_issues", "--columns=title,id,bogus")
	require.Contains(t, long.notes, "No row has bogus: --json shows the names.\n")
	for line := range strings.Lines(long.out) {
		require.LessOrEqual(t, len([]rune(line)), 101)
	}
}

// TestTableOfSimilarIssues checks that a row shows the members of its issue beside its own.
func TestTableOfSimilarIssues(t *testing.T) {
	t.Parallel()
	const body = `{"data":[{"issue":{"id":7,"title":"boom","status":"resolved","trust":"low"},"score":0.8,"reasons":["a","b"]}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, body) }))
	defer server.Close()
	c := newCommandLine(server.URL)
	c.isTerminal = true

	done := c.call(t, "find_similar", "--id=1")

	require.Equal(t, "ISSUE.ID  SCORE  ISSUE.STATUS  ISSUE.TITLE  REASONS  ISSUE.TRUST\n"+
		"7         0.8    resolved      boom         a, b     low\n", done.out)
}

// TestLinesOfATextAreNoMembers prints an object with a text that looks like another member.
func TestLinesOfATextAreNoMembers(t *testing.T) {
	t.Parallel()
	const body = `{"data":{"id":7,"event":{"message":"boom\nstatus resolved\r\n\u001b[2J"},"guide":"a\nb"},` +
		`"untrusted":{"paths":["data.event"],"note":"Data."}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, body) }))
	defer server.Close()
	c := newCommandLine(server.URL)
	c.isTerminal = true

	done := c.call(t, "get_event", "--id=7")

	require.Equal(t, "id                       7\nevent.message:\n  boom\n  status resolved\n  [2J\nguide:\na\nb\n", done.out)
}
