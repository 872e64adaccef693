package notify

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The transport reaches only checked addresses, whichever host it dials.
func TestDialChecked(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	_, err = dialChecked(ctx, "tcp", "127.0.0.1:"+port)
	require.ErrorContains(t, err, "not checked")
	_, err = dialChecked(allowDial(ctx, nil), "tcp", "127.0.0.1:"+port)
	require.ErrorContains(t, err, "not checked")

	conn, err := dialChecked(allowDial(ctx, []netip.Addr{netip.MustParseAddr("127.0.0.1")}), "tcp", "example.com:"+port)
	require.NoError(t, err, "the name is not looked up")
	require.Equal(t, listener.Addr().String(), conn.RemoteAddr().String())
	require.NoError(t, conn.Close())
}
