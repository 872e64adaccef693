package wake_test

import (
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify/wake"
	"errand/testkit/logtext"
)

const (
	atMost = 20 * time.Second
	every  = 10 * time.Millisecond
)

// startNATS runs a server with a user. Port -1 means a free one.
func startNATS(t *testing.T, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true, Username: "errand", Password: "top-secret",
	})
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(atMost))
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

func urlOf(s *server.Server) core.Secret {
	return core.Secret("nats://errand:top-secret@" + s.Addr().String())
}

// connect connects a server that counts how often it is woken.
func connect(t *testing.T, url core.Secret) (*wake.Bell, *atomic.Int64, *logtext.Text) {
	t.Helper()
	log, woken := &logtext.Text{}, &atomic.Int64{}
	bell, err := wake.Connect(wake.Options{
		URL: url, Name: "test", Log: slog.New(slog.NewTextHandler(log, nil)), Woken: func() { woken.Add(1) },
	})
	require.NoError(t, err)
	t.Cleanup(bell.Close)
	return bell, woken, log
}

func TestEveryServerIsWoken(t *testing.T) {
	t.Parallel()
	s := startNATS(t, -1)
	first, firstWoken, _ := connect(t, urlOf(s))
	_, secondWoken, _ := connect(t, urlOf(s))
	require.Eventually(t, func() bool { // until both have subscribed
		first.Ring(1)
		return firstWoken.Load() > 1 && secondWoken.Load() > 1
	}, atMost, every)
	before := secondWoken.Load()

	first.Ring(300)

	require.Eventually(t, func() bool { return secondWoken.Load() >= before+300 }, atMost, every)
}

func TestNATSMayBeAway(t *testing.T) {
	t.Parallel()
	s := startNATS(t, -1)
	port := s.Addr().(*net.TCPAddr).Port
	url := urlOf(s)
	s.Shutdown()
	s.WaitForShutdown()

	start := time.Now()
	bell, woken, log := connect(t, url) // away at the start
	require.Less(t, time.Since(start), atMost)
	bell.Ring(1)
	require.Zero(t, woken.Load())
	require.Contains(t, log.String(), "NATS cannot be reached")

	again := startNATS(t, port)
	require.Eventually(t, func() bool { return woken.Load() > 0 }, atMost, every)
	require.Contains(t, log.String(), "NATS is there again")

	again.Shutdown() // away later
	again.WaitForShutdown()
	bell.Ring(1)
	startNATS(t, port)
	before := woken.Load()
	require.Eventually(t, func() bool { bell.Ring(1); return woken.Load() > before+1 }, atMost, every)
	require.NotContains(t, log.String(), "top-secret")
}

func TestWrongPasswordIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := startNATS(t, -1)

	_, woken, log := connect(t, core.Secret("nats://errand:wrong-secret@"+s.Addr().String()))

	require.Eventually(t, func() bool { return log.String() != "" }, atMost, every)
	require.Zero(t, woken.Load())
	require.NotContains(t, log.String(), "wrong-secret")
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, good := range []core.Secret{"nats://a", "nats://u:p@a:4222, tls://b:4222", "wss://token@a:443/"} {
		require.NoError(t, wake.CheckURL(good))
	}
	for _, bad := range []core.Secret{
		"", "a:4222", "http://a", "nats://", "nats://u:secret@a/path", "nats://u:secret@a?x=1", "nats://u:sec ret@a",
	} {
		err := wake.CheckURL(bad)
		require.ErrorContains(t, err, "must be nats://host:4222")
		require.NotContains(t, err.Error(), "sec")
		_, err = wake.Connect(wake.Options{URL: bad})
		require.Error(t, err)
	}
}
