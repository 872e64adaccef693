// Package wake tells the senders of all servers over NATS that there are deliveries to send (NOTIFY, decisions 9). It
// only makes them sooner: a sender that misses a message finds the delivery at its next regular look.
package wake

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"errand/core"
)

// Subject is the subject of messages about new deliveries.
const Subject = "errand.deliveries"

const (
	// reconnectEvery is how often to try a server that is away.
	reconnectEvery = 2 * time.Second
	connectWithin  = 2 * time.Second
	// pingEvery detects a connection that was cut silently.
	pingEvery = 20 * time.Second
	// atMost bounds the messages for one commit, since an awake sender looks for all deliveries.
	atMost = 1000
)

// Options say where NATS is.
type Options struct {
	// URL is NOTIFY: nats://[user:password@]host[:port], or tls://, ws:// and wss://, or several in a comma-separated list.
	URL  core.Secret
	Name string // of this server, for the operators of NATS
	Log  *slog.Logger
	// Woken is called when a delivery was made anywhere. It must return immediately. Nil for a server that sends none.
	Woken func()
}

// Bell is the connection to NATS. Its methods are safe for concurrent use.
type Bell struct {
	conn   *nats.Conn
	isAway atomic.Bool
}

var errURL = errors.New("must be nats://host:4222 or tls://host:4222, with user:password@ or token@ before the host if need be; " +
	"several are a comma list")

// CheckURL checks NOTIFY. Its error repeats nothing of it.
func CheckURL(text core.Secret) error {
	for part := range strings.SplitSeq(text.Reveal(), ",") {
		parsed, err := url.Parse(strings.TrimSpace(part))
		if err != nil || parsed.Hostname() == "" || strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" || parsed.Fragment != "" {
			return errURL
		}
		switch parsed.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return errURL
		}
	}
	return nil
}

// Connect begins to connect, and returns immediately: NATS may be away now and later. Its errors repeat nothing of the URL.
func Connect(o Options) (*Bell, error) {
	if err := CheckURL(o.URL); err != nil {
		return nil, err
	}
	b := &Bell{}
	woken := o.Woken
	conn, err := nats.Connect(o.URL.Reveal(),
		nats.Name(o.Name), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectEvery),
		nats.Timeout(connectWithin), nats.PingInterval(pingEvery), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1), // a message that cannot be sent now is not worth sending later
		nats.ConnectHandler(func(*nats.Conn) { b.noteConnection(o.Log, woken) }),
		nats.ReconnectHandler(func(*nats.Conn) { b.noteConnection(o.Log, woken) }),
		nats.DisconnectErrHandler(func(c *nats.Conn, _ error) { b.noteLoss(o.Log, c) }),
		nats.ReconnectErrHandler(func(c *nats.Conn, _ error) { b.noteLoss(o.Log, c) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // by default it prints, parts of the URL too
	)
	if err != nil {
		return nil, errURL // its text contains the URL
	}
	b.conn = conn
	if woken != nil {
		if _, err := conn.Subscribe(Subject, func(*nats.Msg) { woken() }); err != nil {
			conn.Close()
			return nil, fmt.Errorf("subscribing at NATS: %w", err)
		}
	}
	if !conn.IsConnected() {
		b.noteLoss(o.Log, conn)
	}
	return b, nil
}

// noteConnection logs that NATS is there, and wakes the sender for deliveries made while it was away.
func (b *Bell) noteConnection(log *slog.Logger, woken func()) {
	if b.isAway.Swap(false) {
		log.Info("NOTIFY: NATS is there again")
	}
	if woken != nil {
		woken()
	}
}

// noteLoss logs once that NATS is away. The library's own words could repeat the URL.
func (b *Bell) noteLoss(log *slog.Logger, conn *nats.Conn) {
	if !conn.IsClosed() && !b.isAway.Swap(true) {
		log.Warn("NOTIFY: NATS cannot be reached, it is tried again; until then deliveries of other servers start some seconds later")
	}
}

// Ring announces new deliveries: a message for each. It returns immediately.
func (b *Bell) Ring(made int64) {
	for i := range min(made, atMost) {
		if b.conn.Publish(Subject, strconv.AppendInt(nil, made-i, 10)) != nil {
			return // NATS is away: senders find the deliveries at their regular looks
		}
	}
}

// Close ends the connection after all announcements have been sent.
func (b *Bell) Close() {
	_ = b.conn.FlushTimeout(connectWithin)
	b.conn.Close()
}
