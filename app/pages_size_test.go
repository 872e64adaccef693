package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/testkit/crashes"
)

// The bytes that pages may have, compressed; web holds those of the style sheet and the script.
const (
	mostOfIssues     = 12 << 10
	mostOfIssue      = 25 << 10
	mostOfLargeIssue = 60 << 10

	usualEvent = 8 << 10
	largeEvent = 195 << 10
)

// TestPagesAreSmall holds the weight of a full list and of issues. The rest of a large event comes with a click.
func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	key := s.makeProject(t)
	var usual int64
	for n := range 25 {
		usual = s.sendBody(t, key, crashes.Make(usualEvent, uint64(n)))
	}
	large := s.sendBody(t, key, crashes.Make(largeEvent, 1000))
	b := s.openAs(t, adminEmail)
	b.header.Set("Accept-Encoding", "gzip")
	weigh := func(path string) int {
		t.Helper()
		got := b.get(path)
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, "gzip", got.header.Get("Content-Encoding"))
		return len(got.body)
	}
	list, issue := weigh("/"), weigh(fmt.Sprint("/issues/", usual))
	largeIssue, everything := weigh(fmt.Sprint("/issues/", large)), weigh(fmt.Sprintf("/issues/%d?frames=all", large))
	t.Logf("a list of 25: %d bytes; an issue: %d; of an event of 195 KB: %d, %d with everything", list, issue, largeIssue, everything)

	require.LessOrEqual(t, list, mostOfIssues)
	require.LessOrEqual(t, issue, mostOfIssue)
	require.LessOrEqual(t, largeIssue, mostOfLargeIssue)
	require.Greater(t, everything, largeIssue)
}
