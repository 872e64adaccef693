package notify

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// keepIdle is how long a connection waits for the next delivery. It is shorter than receivers allow, so that no
	// connection turns out to be closed when it is used: a POST is never repeated automatically.
	keepIdle = 500 * time.Millisecond
	// maxIdle bounds the waiting connections to a receiver.
	maxIdle = 64
	// maxAnswerHeader bounds the headers of an answer.
	maxAnswerHeader = 64 << 10
	// tlsSessions is how many TLS sessions are remembered, one for each receiver, to save half of the next handshake.
	tlsSessions = 256
)

// routes keep connections to receivers for a moment, since a handshake costs more than the rest of a delivery (BenchmarkSend). Each set
// of checked addresses has its own connections: when a name means another address, the next attempt connects again.
type routes struct {
	tls     *tls.Config
	timeout time.Duration // of a handshake
	mu      sync.Mutex
	known   map[string]*route
	sweptAt time.Time
}

type route struct {
	transport *http.Transport
	usedAt    time.Time
}

func newRoutes(config *tls.Config, timeout time.Duration) *routes {
	config = config.Clone()
	config.ClientSessionCache = tls.NewLRUClientSessionCache(tlsSessions)
	return &routes{tls: config, timeout: timeout, known: map[string]*route{}}
}

// find returns the transport for requests to a receiver at addresses that have just been checked.
func (r *routes) find(receiver *url.URL, addresses []netip.Addr) *http.Transport {
	key := describeRoute(receiver, addresses)
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.sweptAt) > keepIdle {
		r.forgetIdle(now)
	}
	found := r.known[key]
	if found == nil {
		found = &route{transport: r.makeTransport()}
		r.known[key] = found
	}
	found.usedAt = now
	return found.transport
}

// forgetIdle drops transports that were not used lately. Running requests continue, and their connections close on their own.
func (r *routes) forgetIdle(now time.Time) {
	for key, known := range r.known {
		if now.Sub(known.usedAt) > keepIdle {
			known.transport.CloseIdleConnections()
			delete(r.known, key)
		}
	}
	r.sweptAt = now
}

func (r *routes) makeTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // a proxy would look up the name itself, and could be in the private network
		DialContext:            dialChecked,
		TLSClientConfig:        r.tls,
		TLSHandshakeTimeout:    r.timeout, // a handshake continues under its own context when the attempt has ended
		IdleConnTimeout:        keepIdle,
		MaxIdleConnsPerHost:    maxIdle,
		MaxResponseHeaderBytes: maxAnswerHeader,
		DisableCompression:     true, // a small compressed body can be endless
	}
}

// describeRoute names a receiver and its addresses. Their order, which depends on the name server, does not matter.
func describeRoute(receiver *url.URL, addresses []netip.Addr) string {
	sorted := slices.SortedFunc(slices.Values(addresses), netip.Addr.Compare)
	var key strings.Builder
	key.WriteString(receiver.Scheme + "://" + receiver.Host)
	for _, addr := range sorted {
		key.WriteString(" " + addr.String())
	}
	return key.String()
}
