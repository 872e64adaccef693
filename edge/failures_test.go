package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/core"
)

// contextFrom is the context of a request from an address.
func contextFrom(address string) context.Context {
	conn := &connection{client: netip.MustParseAddr(address)}
	return context.WithValue(context.Background(), connectionKey{}, conn)
}

// manualClock is a clock that stands still until the test moves it.
type manualClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) moveForward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestFailuresOfAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	clock := &manualClock{now: time.Date(2026, 1, 3, 18, 22, 50, 0, time.UTC)}
	failures := NewFailures(clock.Now)
	refuse := func(address string, code core.Code, wait int) {
		t.Helper()
		failure := failures.RefuseCredential(contextFrom(address))
		require.Equal(t, code, failure.Code)
		require.Equal(t, wait, failure.RetryAfter)
	}
	for range failuresAtOnce {
		refuse("203.0.113.9", core.Unauthorized, 0)
	}
	for range 1000 { // further failures do not make it longer
		refuse("203.0.113.9", core.Limit, 6)
	}
	refuse("203.0.113.10", core.Unauthorized, 0)
	clock.moveForward(4500 * time.Millisecond)
	refuse("203.0.113.9", core.Limit, 2)
	clock.moveForward(1500 * time.Millisecond)
	refuse("203.0.113.9", core.Unauthorized, 0)
	refuse("203.0.113.9", core.Limit, 6)
	clock.moveForward(time.Hour)
	for range failuresAtOnce {
		refuse("203.0.113.9", core.Unauthorized, 0)
	}
	refuse("203.0.113.9", core.Limit, 6)

	for n := range failuresAtOnce { // an IPv6 network counts as one address
		refuse(fmt.Sprintf("2001:db8::%x", n), core.Unauthorized, 0)
	}
	refuse("2001:db8::ffff:1", core.Limit, 6)
	refuse("2001:db8:0:1::1", core.Unauthorized, 0)
}

func TestGoodCredentialsAreNotLimited(t *testing.T) {
	t.Parallel()
	failures, away := NewFailures(time.Now), errors.New("away")
	authenticate := failures.GuardAuthentication(func(_ context.Context, credential core.Secret) (core.Actor, error) {
		switch credential.Reveal() {
		case "good":
			return core.NewBootstrapActor(), nil
		case "away":
			return core.Actor{}, away
		}
		return core.Actor{}, core.NewError(core.Unauthorized)
	})
	var limited int

	for range 10 * failuresAtOnce {
		_, err := authenticate(contextFrom("203.0.113.9"), "bad")
		if core.HasCode(err, core.Limit) {
			limited++
		} else {
			require.True(t, core.HasCode(err, core.Unauthorized))
		}
		actor, err := authenticate(contextFrom("203.0.113.9"), "good")
		require.NoError(t, err)
		require.Equal(t, core.NewBootstrapActor(), actor)
		_, err = authenticate(contextFrom("203.0.113.9"), "away")
		require.ErrorIs(t, err, away, "it is not a failed authentication")
	}

	require.GreaterOrEqual(t, limited, 9*failuresAtOnce-2)
}

// Credentials from an address that fails too often are looked up a few at a time; other addresses do not wait for them.
func TestLookUpsOfSuspectsAreFew(t *testing.T) {
	t.Parallel()
	failures := NewFailures(time.Now)
	entered, leave := make(chan struct{}), make(chan struct{})
	authenticate := failures.GuardAuthentication(func(_ context.Context, credential core.Secret) (core.Actor, error) {
		if credential == "slow" {
			entered <- struct{}{}
			<-leave
		}
		return core.NewBootstrapActor(), nil
	})
	for range failuresAtOnce + 1 {
		_ = failures.RefuseCredential(contextFrom("203.0.113.9"))
	}
	var calls sync.WaitGroup
	for range maxSuspectLookUps {
		calls.Go(func() {
			_, err := authenticate(contextFrom("203.0.113.9"), "slow")
			assert.NoError(t, err)
		})
		<-entered
	}
	_, err := authenticate(contextFrom("203.0.113.10"), "another's")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(contextFrom("203.0.113.9"), 10*time.Millisecond)
	defer cancel()
	_, err = authenticate(ctx, "third")

	require.True(t, core.HasCode(err, core.Limit))

	close(leave)
	calls.Wait()
	_, err = authenticate(contextFrom("203.0.113.9"), "fourth")
	require.NoError(t, err)
}

func TestFailuresAreLoggedTogether(t *testing.T) {
	t.Parallel()
	failures, text := NewFailures(time.Now), &bytes.Buffer{}
	log := slog.New(slog.NewJSONHandler(text, nil))
	failures.logFailures(log)
	require.Empty(t, text.String(), "nothing failed")

	for n := range 2 * maxAddresses {
		_ = failures.RefuseCredential(contextFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}).String()))
	}
	for range 70 {
		_ = failures.RefuseCredential(contextFrom("10.0.0.9"))
	}
	require.Len(t, failures.counts, maxAddresses)
	require.LessOrEqual(t, failures.workedOffAt.Len(), maxAddresses)

	failures.logFailures(log)
	var line struct {
		Level, Msg string
		Failures   int
		Addresses  map[string]int
		Others     int `json:"of_other_addresses"`
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &line), "one line")
	require.Equal(t, "WARN", line.Level)
	require.Equal(t, "authentication failed", line.Msg)
	require.Equal(t, 2*maxAddresses+70, line.Failures)
	require.Len(t, line.Addresses, maxLoggedOnes)
	require.Equal(t, 71, line.Addresses["10.0.0.9"])
	require.Equal(t, line.Failures-71-(maxLoggedOnes-1), line.Others)

	text.Reset()
	failures.logFailures(log)
	require.Empty(t, text.String(), "each is logged once")
}

func TestFailuresAreLoggedAtTheEnd(t *testing.T) {
	t.Parallel()
	failures, text := NewFailures(time.Now), &bytes.Buffer{}
	_ = failures.RefuseCredential(contextFrom("203.0.113.9"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	failures.LogEveryMinute(ctx, slog.New(slog.NewJSONHandler(text, nil)))

	require.Contains(t, text.String(), `"203.0.113.9":1`)
}
