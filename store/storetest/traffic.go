package storetest

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

	"github.com/stretchr/testify/require"
)

// Traffic counts what passes to and from Postgres: how often Postgres has reported that it is ready, and how many statements
// it was sent.
type Traffic struct{ Trips, Statements atomic.Int64 }

// CountTraffic returns a URL that leads to a database, and what passes there.
func CountTraffic(t testing.TB, databaseURL string) (counted string, counts *Traffic) {
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
	counts = &Traffic{}
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
func (c *Traffic) passOn(client net.Conn, behind string) {
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
			relayMessages(server, in, 'B', &c.Statements)
		}
	}()
	relayMessages(client, bufio.NewReader(server), 'Z', &c.Trips)
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
