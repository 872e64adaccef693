//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// dumpOf is a backup that takes as long as the test wants: it begins, and ends when end is called.
type dumpOf func(t *testing.T, database string) (end func())

// holdLikeDump locks and sees what pg_dump does: all tables, in one transaction.
func holdLikeDump(t *testing.T, database string) (end func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	_, err = conn.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `DO $$ DECLARE name regclass; BEGIN
		FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') LOOP
			EXECUTE format('LOCK TABLE %s IN ACCESS SHARE MODE', name);
		END LOOP; END $$`)
	require.NoError(t, err)
	return func() {
		_, err := conn.Exec(t.Context(), `COMMIT`)
		require.NoError(t, err)
	}
}

// runDump runs a real pg_dump whose output nobody reads, so that it stops in the middle.
func runDump(t *testing.T, database string) (end func()) {
	t.Helper()
	program, err := exec.LookPath("pg_dump")
	if err != nil {
		t.Skip("pg_dump is not installed")
	}
	cmd := exec.Command(program, "--dbname", database)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	require.Eventually(t, func() bool {
		var copying bool
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) > 0 FROM pg_stat_activity
			WHERE application_name = 'pg_dump' AND query LIKE 'COPY %' AND wait_event = 'ClientWrite'`).Scan(&copying))
		return copying
	}, 20*time.Second, 10*time.Millisecond, "pg_dump does not wait")
	return func() {
		dumped, err := io.Copy(io.Discard, out)
		require.NoError(t, err)
		require.NoError(t, cmd.Wait())
		t.Logf("pg_dump has written %d KB", dumped>>10)
	}
}

// TestFaultDayChangesDuringDump makes the partitions of the days ahead, and deletes a day that is too old, under load
// while a backup runs. No event waits for either.
func TestFaultDayChangesDuringDump(t *testing.T) {
	t.Parallel()
	for name, dump := range map[string]dumpOf{"a transaction that holds all tables": holdLikeDump, "pg_dump": runDump} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dayChangesDuring(t, dump)
		})
	}
}

func dayChangesDuring(t *testing.T, dump dumpOf) {
	t.Helper()
	const ahead, old = 3, 100 // days
	const answerAtMost = 2 * time.Second
	db := newManaged(t, startPostgres(t, newDir(t)).URL(), -1, "")
	env := append(slices.Clone(underLoad), "DATABASE_URL="+db.url, "RETENTION_DAYS=90")
	s := startServerOn(t, newDir(t), env...)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for n := range ahead {
		db.runSQL(`DROP TABLE ` + partitionOf(today.AddDate(0, 0, n+1)))
	}
	require.Eventually(t, func() bool {
		return db.queryNumber(`SELECT count(*) FROM river_job WHERE kind = 'drop_expired' AND state = 'completed'`) > 0
	},
		30*time.Second, 50*time.Millisecond, "the jobs of the start") // otherwise it might delete the old day before the backup begins
	expired := partitionOf(today.AddDate(0, 0, -old))
	db.runSQL(fmt.Sprintf(`CREATE TABLE %s PARTITION OF events FOR VALUES FROM ('%s') TO ('%s')`, expired,
		today.AddDate(0, 0, -old).Format(time.RFC3339), today.AddDate(0, 0, 1-old).Format(time.RFC3339)))
	db.runSQL(`CREATE TABLE ballast AS SELECT repeat('x', 1000) FROM generate_series(1, 5000)`)

	l := startLoad(t, senders, s)
	l.goOn(betweenOutages)
	end := dump(t, db.url)
	l.withLock(func() { l.slowest, l.pauses.longest = 0, 0 })
	startServerOn(t, newDir(t), env...)
	for n := range ahead {
		require.True(t, db.hasTable(partitionOf(today.AddDate(0, 0, n+1))), "the days ahead are made while the backup runs")
	}
	require.Equal(t, "discarded", runJob(t, db.url, "drop_expired"), "it waits only a moment for the backup")
	l.goOn(4 * betweenOutages)
	l.withLock(func() {
		t.Logf("while the backup ran: the longest answer took %v, no 200 for at most %v",
			l.slowest.Round(time.Millisecond), l.pauses.longest.Round(time.Millisecond))
		require.Less(t, l.slowest, answerAtMost)
	})
	end()
	waitForJob(t, db.url, "drop_expired")
	require.False(t, db.hasTable(expired))
	l.checkLedger(s, db.url)
}

func partitionOf(day time.Time) string { return "events_" + day.Format("20060102") }

// TestFaultFrozenServers repeatedly freezes one of two servers on a database, as the host of a virtual machine does.
// The other one continues.
func TestFaultFrozenServers(t *testing.T) {
	t.Parallel()
	const freezes = 20
	// idle_in_transaction_session_timeout is 2 s, for each of its transactions.
	const blockedFrom, blockedAtMost = 500 * time.Millisecond, 10 * time.Second
	pair, database := startPair(t)
	l := newLoad(t, senders, pair[0], pair[1])
	l.client.Timeout = blockedAtMost / 2 // all senders may wait for the frozen server, and then nobody sends to the other
	l.startSending(senders)
	var blocked []time.Duration
	for range freezes {
		l.goOn(2 * senders)
		l.withLock(func() { l.pauses.longest = 0 })
		l.frozen.Store(1 + 1)
		require.NoError(t, pair[1].cmd.Process.Signal(syscall.SIGSTOP))
		l.goOn(betweenOutages)
		require.NoError(t, pair[1].cmd.Process.Signal(syscall.SIGCONT))
		l.frozen.Store(0)
		l.withLock(func() {
			if l.pauses.longest >= blockedFrom {
				blocked = append(blocked, l.pauses.longest.Round(time.Millisecond))
			}
		})
	}
	t.Logf("%d of %d freezes blocked the other server: %v", len(blocked), freezes, blocked)
	for _, d := range blocked {
		require.Less(t, d, blockedAtMost)
	}
	l.checkLedger(pair[0], database)
}
