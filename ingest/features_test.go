package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The features for triage and similar issues come from the first event of an issue, and are stored in the commit that makes the
// issue.
func TestFirstEventIsLookedAt(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const failure = `{"exception": {"type": "ConnectTimeout", "value": "redis did not answer",
		"mechanism": {"type": "generic", "handled": false},
		"stacktrace": {"frames": [{"function": "pay", "module": "shop", "in_app": true}]}}}`

	for range 2 {
		requireTaken(t, s.postBody(native, []byte(failure), nativeByKey))
	}

	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues WHERE crash_site = 'app' AND NOT handled`))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issue_features WHERE cardinality(features) > 5`))
	requireTaken(t, s.postBody(native, []byte(`{"message": "all is well"}`), nativeByKey))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues WHERE crash_site = 'none' AND handled IS NULL`))
	require.EqualValues(t, 2, s.queryNumber(`SELECT count(*) FROM issue_features`))
}
