package ingest_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/ingest"
)

// startPair returns two servers on one database with one clock.
func startPair(t *testing.T) ([2]*server, *movingClock) {
	clock := clockAt(noonToday())
	first := startServerWith(t, config{clock: clock.currentTime})
	return [2]*server{first, startServerWith(t, config{database: first.database, clock: clock.currentTime})}, clock
}

func TestRevokedKeyEndsWithinAMinuteOnEveryServer(t *testing.T) {
	t.Parallel()
	pair, clock := startPair(t)
	for n, s := range pair {
		requireTaken(t, s.postEvents(eventItem(n)))
	}
	require.NoError(t, pair[0].db.CreateProjectKey(t.Context(), core.NewBootstrapActor(), shop, "11110000000000000000000000000000"))
	require.NoError(t, pair[0].db.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), shop, shopKey))
	clock.moveForward(time.Minute)

	for _, s := range pair {
		requireUnauthorized(t, s.postEvents(eventItem(9)), "revoked")
		requireTaken(t, s.postBody(native, []byte(eventText(9)), "X-Service-Key: 11110000000000000000000000000000"))
	}

	require.EqualValues(t, 3, pair[0].eventsCounted())
}

func TestChangesOfAProjectActWithinAMinuteOnEveryServer(t *testing.T) {
	t.Parallel()
	pair, clock := startPair(t)
	for n, s := range pair {
		requireTaken(t, s.postBody(native, []byte(eventText(n)), nativeByKey, "Origin: https://shop.example"))
	}
	pair[0].execSQL(`UPDATE projects SET allowed_origins = '{https://office.example}' WHERE id = $1`, shop)
	clock.moveForward(time.Minute)
	for _, s := range pair {
		require.Equal(t, http.StatusForbidden, s.postBody(native, []byte(eventText(9)), nativeByKey, "Origin: https://shop.example").status)
	}
	pair[0].execSQL(`UPDATE projects SET deleted_at = created_at WHERE id = $1`, shop)
	clock.moveForward(time.Minute)
	for _, s := range pair {
		requireUnauthorized(t, s.postBody(native, []byte(eventText(9)), nativeByKey), "deleted")
	}
}

// The API changes the settings, on the first server.
func TestQuotaAndOriginsOfTheAPIActWithinAMinuteOnEveryServer(t *testing.T) {
	t.Parallel()
	pair, clock := startPair(t)
	change := func(c core.ProjectChange) {
		_, err := pair[0].db.UpdateProject(t.Context(), core.NewBootstrapActor(), shop, c)
		require.NoError(t, err)
		clock.moveForward(time.Minute)
	}
	page := func(s *server, n int) answer {
		return s.postBody(native, []byte(eventText(n)), nativeByKey, "Origin: https://shop.example")
	}
	for n, s := range pair {
		requireTaken(t, page(s, n))
	}
	change(core.ProjectChange{DailyQuota: core.Opt[int64]{Set: true, Value: 2}})
	for _, s := range pair {
		requireQuota(t, page(s, 2))
	}
	change(core.ProjectChange{DailyQuota: core.Opt[int64]{Set: true, Value: 4}})
	for n, s := range pair {
		requireTaken(t, page(s, 2+n))
	}
	for _, s := range pair {
		requireQuota(t, page(s, 4))
	}
	change(core.ProjectChange{DailyQuota: core.Opt[int64]{Set: true, Null: true}})
	for n, s := range pair {
		requireTaken(t, page(s, 4+n))
	}
	change(core.ProjectChange{AllowedOrigins: core.Opt[[]string]{Set: true, Value: []string{"https://office.example"}}})

	for _, s := range pair {
		require.Equal(t, http.StatusForbidden, page(s, 6).status)
	}

	require.EqualValues(t, 6, pair[0].eventsCounted())
}

func TestProjectIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	pair, clock := startPair(t)
	s := pair[0]
	requireTaken(t, s.postEvents(eventItem(1)))

	s.execSQL(`UPDATE project_keys SET revoked_at = created_at`)
	clock.moveForward(20 * time.Second)
	requireTaken(t, s.postEvents(eventItem(2)))

	clock.moveForward(20 * time.Second)
	requireUnauthorized(t, s.postEvents(eventItem(3)), "not since it was last used")
}

func TestNewKeyWorksSoon(t *testing.T) {
	t.Parallel()
	pair, clock := startPair(t)
	const key = "22220000000000000000000000000000"
	for _, s := range pair {
		requireUnauthorized(t, s.postBody(native, []byte(eventText(1)), "X-Service-Key: "+key), "not there yet")
	}
	require.NoError(t, pair[0].db.CreateProjectKey(t.Context(), core.NewBootstrapActor(), shop, key))
	clock.moveForward(5 * time.Second)
	for _, s := range pair {
		requireTaken(t, s.postBody(native, []byte(eventText(1)), "X-Service-Key: "+key))
	}
}

// A key that many requests ask for at the same time is looked up once.
func TestKeyIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	unlock := s.lockTables(t, "project_keys")
	var answers sync.WaitGroup
	for n := range 50 {
		answers.Go(func() { requireTaken(t, s.postEvents(eventItem(n))) })
	}
	s.untilBlocked(t)
	// The others arrive while the first waits; separate look-ups would take all connections of the
	// pool.
	require.EqualValues(t, 1, s.queryNumber(waitingForLocks))

	unlock()
	answers.Wait()
	require.EqualValues(t, 50, s.eventsCounted())
}

// A flood of keys that do not exist leaves connections to others.
func TestLookUpsAreBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	unlock := s.lockTables(t, "project_keys")
	var answers sync.WaitGroup
	for n := range 40 {
		answers.Go(func() {
			requireUnauthorized(t, s.postBody(native, []byte(eventText(n)), fmt.Sprint("X-Service-Key: ", n)), "unknown")
		})
	}

	require.Eventually(t, func() bool { return s.queryNumber(waitingForLocks) == 4 }, 10*time.Second, time.Millisecond)

	require.EqualValues(t, 4, s.queryNumber(waitingForLocks))

	unlock()
	answers.Wait()
}

// While the database is away a remembered project is used longer, but no longer than a minute.
func TestProjectIsRememberedLongerWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	clock := clockAt(noonToday())
	s := startServerWith(t, config{clock: clock.currentTime, before: func(i *ingest.Ingest) { i.WaitAtMost(100 * time.Millisecond) }})
	s.execSQL(`UPDATE projects SET allowed_origins = '{https://shop.example}' WHERE id = $1`, shop)
	foreign := func() int {
		return s.postBody(native, []byte(eventText(1)), nativeByKey, "Origin: https://evil.example").status
	}
	require.Equal(t, http.StatusForbidden, foreign())

	s.takeDatabaseAway(t)
	clock.moveForward(59 * time.Second)
	require.Equal(t, http.StatusForbidden, foreign(), "known still")

	clock.moveForward(time.Second)
	require.Equal(t, http.StatusServiceUnavailable, foreign(), "not known any more")
}
