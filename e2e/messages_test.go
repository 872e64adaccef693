//go:build e2e

package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstOfTwo names an issue by the first of its two messages, whichever arrived first.
var firstOfTwo = strings.NewReplacer("order 42", "order 41", "bob", "ann")

// TestMessagesOfTwoVersions sends messages through @sentry/node 10, and then 11, which adds a stack trace to each.
// Their texts decide the issues, not the calling code, and the new version makes no new issues.
func TestMessagesOfTwoVersions(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	dsn, slug := s.makeProject("messages")
	for sent, sdk := range []string{"sentry-node-10", "@sentry/node"} {
		out, err := exec.CommandContext(t.Context(), "node", "sdk/messages.mjs", dsn, sdk).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, "the console says no\n", string(out))
		seen := map[string]int{}
		for title, issue := range s.exportedIssues(t, slug) {
			seen[firstOfTwo.Replace(title)] = issue.TimesSeen
		}
		once, twice := sent+1, 2*(sent+1)
		require.Equal(t, map[string]int{
			"the cache is cold":                 once,
			"payment refused":                   once,
			"stock is empty":                    once,
			"order 41 is late":                  twice,
			"cart of ann is lost":               twice,
			"the console says no":               once,
			"TypeError: order 7 has no address": once,
		}, seen, sdk)
	}
}
