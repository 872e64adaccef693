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

// traffic counts what passes to and from Postgres: how often Postgres has reported that it is ready, and how many statements
// it was sent.
type traffic struct{ trips, statements atomic.Int64 }

// countTraffic returns a URL that leads to a database, and what passes there.
func countTraffic(t *testing.T, databaseURL string) (counted string, counts *traffic) {
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
	counts = &traffic{}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go counts.passOn(client, behind)
		}
	}()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	return u.String(), counts
}

// passOn relays a connection between a client and Postgres.
func (c *traffic) passOn(client net.Conn, behind string) {
	defer client.Close()
	server, err := net.Dial("unix", behind)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer server.Close()
		in := bufio.NewReader(client)
		start, err := in.Peek(4) // the first message has no letter
		if err != nil {
			return
		}
		if _, err := io.CopyN(server, in, int64(binary.BigEndian.Uint32(start))); err == nil {
			relayMessages(server, in, 'B', &c.statements)
		}
	}()
	relayMessages(client, bufio.NewReader(server), 'Z', &c.trips)
}

// relayMessages passes messages on and counts those of a letter. Each is a letter, its length, and the rest.
func relayMessages(to io.Writer, from *bufio.Reader, letter byte, count *atomic.Int64) {
	buffer := make([]byte, 1<<15) // what the relay allocates would be taken for an allocation of the store
	for {
		head, err := from.Peek(5)
		if err != nil {
			return
		}
		if head[0] == letter {
			count.Add(1)
		}
		message := io.LimitReader(from, 1+int64(binary.BigEndian.Uint32(head[1:])))
		if _, err := io.CopyBuffer(struct{ io.Writer }{to}, message, buffer); err != nil {
			return
		}
	}
}

// TestRoundTripsOfABatch checks that settings cost no round trip: a batch of known issues takes one, and the long way no more than before.
func TestRoundTripsOfABatch(t *testing.T) {
	t.Parallel()
	databaseURL, passed := countTraffic(t, storetest.NewURL(t))
	clock := storetest.NewClock()
	s := storetest.Open(t, databaseURL, clock.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	add := func(n int) int64 {
		before := passed.trips.Load()
		storetest.AddEvents(t, s, storetest.MakeShopEvent("boom", n, clock.At(time.Duration(n)*time.Second)))
		return passed.trips.Load() - before
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
