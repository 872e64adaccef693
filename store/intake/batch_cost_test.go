package intake_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
	"errand/testkit/race"
	"errand/triage"
)

// cost is what a batch costs: round trips and statements, and for each event the bytes that this process allocates and that
// Postgres writes ahead. None of these depends on the machine or on what else it does.
type cost struct{ trips, statements, allocated, written int64 }

// more is by how much a cost may exceed its golden number, in percent.
const more = 5

// batchKind is a way of sending. The golden numbers are of this package: after a change that makes a batch cheaper, lower
// them; one that makes it dearer has a reason.
type batchKind struct {
	name           string
	events, issues int // events in a batch; how many issues they are of, 0 for a new issue each
	known          int // events that are there before
	golden         cost
}

var batchKinds = []batchKind{
	{"one event of a known issue", 1, 500, 1500, cost{1, 4, 19900, 1900}},
	{"64 events of known issues", 64, 500, 1500, cost{1, 4, 8280, 1570}},
	{"100 events of 5 issues that store no more", 100, 5, 1500, cost{1, 6, 4500, 115}},
	{"16 events of new issues", 16, 0, 200, cost{2, 12, 28600, 4700}},
}

// It has no t.Parallel: what other tests allocate and write would be counted. They wait until it has ended.
func TestCostOfABatch(t *testing.T) {
	for _, kind := range batchKinds {
		t.Run(kind.name, func(t *testing.T) {
			got := kind.measure(t)
			t.Logf("%+v", got)
			limit := func(golden int64) int64 { return golden + golden*more/100 }
			require.Equal(t, kind.golden.trips, got.trips, "round trips")
			require.Equal(t, kind.golden.statements, got.statements, "statements")
			if !race.Enabled {
				require.LessOrEqual(t, got.allocated, limit(kind.golden.allocated), "bytes allocated for an event")
			}
			require.LessOrEqual(t, got.written, limit(kind.golden.written), "bytes written ahead for an event")
		})
	}
}

// measure returns the lowest of each cost in several rounds: now and then the runtime or Postgres works for itself.
func (k batchKind) measure(t *testing.T) cost {
	direct := storetest.NewURL(t)
	url, passed := storetest.CountTraffic(t, direct)
	clock := storetest.NewClock()
	s := storetest.OpenWith(t, store.Options{URL: url, Clock: clock.Tell, Settings: storetest.KeepFew})
	storetest.SaveSettings(t, s, map[string]string{"NEW_ISSUES_PER_HOUR": "0"})
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	conn := storetest.ConnectTo(t, direct)
	n := 0
	add := func(size int) {
		events := make([]intake.NewEvent, size)
		for i := range events {
			n++
			events[i] = k.makeEvent(n, clock.At(0))
		}
		_, err := s.Intake.AddEvents(t.Context(), events)
		require.NoError(t, err)
	}
	for n < k.known {
		add(100)
	}
	add(k.events)
	_, err := conn.Exec(t.Context(), `VACUUM`) // nothing of earlier tests is cleaned up meanwhile
	require.NoError(t, err)
	const rounds, batches = 8, 20
	var lowest cost
	for round := range rounds {
		before := readCost(t, conn, passed)
		for range batches {
			add(k.events)
		}
		after := readCost(t, conn, passed)
		events := int64(batches * k.events)
		got := cost{(after.trips - before.trips) / batches, (after.statements - before.statements) / batches,
			(after.allocated - before.allocated) / events, (after.written - before.written) / events}
		if round == 0 {
			lowest = got
		}
		lowest = cost{min(lowest.trips, got.trips), min(lowest.statements, got.statements), min(lowest.allocated, got.allocated),
			min(lowest.written, got.written)}
	}
	return lowest
}

func (k batchKind) makeEvent(n int, at core.Time) intake.NewEvent {
	group := fmt.Sprintf("order %d was paid twice", n)
	if k.issues > 0 {
		group = fmt.Sprint("group ", n%k.issues)
	}
	e := storetest.MakeShopEvent(group, n, at)
	e.User, e.Payload = storetest.HashUser(n%1000), intake.Payload{Bytes: make([]byte, 700)}
	if k.issues == 0 {
		e.Crash, e.Features = triage.Crash{Site: triage.NoStack}, featuresOf(n)
	}
	return e
}

func readCost(t *testing.T, conn *pgx.Conn, passed *storetest.Traffic) (c cost) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint`).Scan(&c.written))
	c.trips, c.statements = passed.Trips.Load(), passed.Statements.Load()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	c.allocated = int64(memory.TotalAlloc)
	return c
}
