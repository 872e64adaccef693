//go:build e2e

package e2e

import (
	"testing"
)

// TestFaultRollingRestarts runs three servers on one database, and replaces each of them twice under load, one after the other, as a
// deployment does: the new one is ready before the old one is told to stop.
func TestFaultRollingRestarts(t *testing.T) {
	t.Parallel()
	database := newDatabase(t)
	start := func() *server {
		return startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+database, "DATABASE_POOL=10")...)
	}
	var servers [3]*server
	for n := range servers {
		servers[n] = start()
	}
	l := startLoad(t, senders, servers[:]...)
	for range 2 {
		for n := range servers {
			l.measureOutage(func() {
				next := start()
				l.moveServer(n, next)
				servers[n].stopServer()
				servers[n] = next
			})
		}
	}
	l.checkLedger(servers[0], database)
	for _, s := range servers {
		s.stopServer()
	}
	requireNoDeadlocks(t, database)
}
