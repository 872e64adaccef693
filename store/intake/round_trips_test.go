package intake_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// countRoundTrips returns a URL that leads to a database, and a count of the times that Postgres has reported there that it is ready.
func countRoundTrips(t *testing.T, databaseURL string) (counted string, trips *atomic.Int64) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	query := u.Query()
	const socket = ".s.PGSQL.5432"
	behind := filepath.Join(query.Get("host"), socket)
	dir, err := os.MkdirTemp("", "trips-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, socket))
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	trips = &atomic.Int64{}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go passOn(client, behind, trips)
		}
	}()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	return u.String(), trips
}

// passOn relays a connection between a client and Postgres. Each message of Postgres is a letter, its length, and the rest.
func passOn(client net.Conn, behind string, trips *atomic.Int64) {
	defer client.Close()
	server, err := net.Dial("unix", behind)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	in := bufio.NewReader(server)
	for {
		head, err := in.Peek(5)
		if err != nil {
			return
		}
		if head[0] == 'Z' {
			trips.Add(1)
		}
		if _, err := io.CopyN(client, in, 1+int64(binary.BigEndian.Uint32(head[1:]))); err != nil {
			return
		}
	}
}

// TestRoundTripsOfABatch checks that settings cost no round trip: a batch of known issues takes one, and the long way no more than before.
func TestRoundTripsOfABatch(t *testing.T) {
	t.Parallel()
	databaseURL, trips := countRoundTrips(t, storetest.NewURL(t))
	clock := storetest.NewClock()
	s := storetest.Open(t, databaseURL, clock.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	add := func(n int) int64 {
		before := trips.Load()
		storetest.AddEvents(t, s, storetest.MakeShopEvent("boom", n, clock.At(time.Duration(n)*time.Second)))
		return trips.Load() - before
	}
	for n := range 6 { // makes the connections and prepares the statements
		add(n)
	}
	require.EqualValues(t, 1, add(7))
	require.EqualValues(t, 1, add(8))

	issue := storetest.ReadCell[int64](t, s, `SELECT id FROM issues`)
	ignore := store.IgnoreIssue{ID: issue, Term: core.IgnoreTerm{AfterEvents: 3}}
	_, err := s.CarryOut(t.Context(), core.NewBootstrapActor(), ignore)
	require.NoError(t, err)
	require.EqualValues(t, 1, add(9), "of an ignored issue with a term")
	require.EqualValues(t, 1, add(10))
	require.Greater(t, add(11), int64(1), "the return is a transaction after the batch")
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, issue).Status)
	require.EqualValues(t, 1, add(12))
}
