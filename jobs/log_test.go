package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/jobs"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// TestFailuresAreLogged runs jobs that fail, because their tables are gone. The log names the jobs, and has nothing else.
func TestFailuresAreLogged(t *testing.T) {
	t.Parallel()
	url, log := storetest.NewEmptyURL(t), &logtext.Text{}
	s := storetest.Open(t, url, time.Now)
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
	rows, err := storetest.QuerySQL(t.Context(), s, `ALTER TABLE projects RENAME TO elsewhere`)
	require.NoError(t, err)
	rows.Close()
	client, err := jobs.StartQueue(t.Context(), jobs.Options{
		Store: s, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(t, err)
	line := func(job string) string { return `level=WARN msg="a job failed and will be tried again" job=` + job }
	require.Eventually(t, func() bool {
		return bytes.Contains([]byte(log.String()), []byte(line("purge_projects"))) &&
			bytes.Contains([]byte(log.String()), []byte(line("train_dictionaries")))
	}, atMost, often)
	require.NoError(t, client.Stop(context.Background()))
	require.NotContains(t, log.String(), "level=INFO")
	require.NotContains(t, log.String(), "level=DEBUG")
	require.NotContains(t, log.String(), "job=make_partitions")
}
