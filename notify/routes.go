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
	// keepIdle is how long a connection waits for the next delivery. It is shorter than what receivers allow, so that none is found
	// closed when it is used: a POST is never repeated by itself.
	keepIdle = 500 * time.Millisecond
	// maxIdle is how many connections to a receiver wait.
	maxIdle = 64
	// maxAnswerHeader bounds the headers of an answer.
	maxAnswerHeader = 64 << 10
	// tlsSessions are remembered, one for each receiver, to spare half of the next handshake.
	tlsSessions = 256
)

// routes keep connections to receivers for a moment, since a handshake costs more than all the rest of a delivery (BenchmarkSend).
// Each set of checked addresses has connections of its own: when a name means another address, the next attempt connects anew.
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

// find returns the transport for requests to a receiver at addresses that were checked just now.
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

// forgetIdle drops what was not used lately. Requests under way go on: their connections close by themselves.
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
		Proxy:                  nil, // a proxy would look the name up itself, and could be in the private network
		DialContext:            dialChecked,
		TLSClientConfig:        r.tls,
		TLSHandshakeTimeout:    r.timeout, // it goes on under a context of its own when the attempt has ended
		IdleConnTimeout:        keepIdle,
		MaxIdleConnsPerHost:    maxIdle,
		MaxResponseHeaderBytes: maxAnswerHeader,
		DisableCompression:     true, // a small compressed body can be endless
	}
}

// describeRoute names a receiver at its addresses, in whatever order the name server has them.
func describeRoute(receiver *url.URL, addresses []netip.Addr) string {
	sorted := slices.SortedFunc(slices.Values(addresses), netip.Addr.Compare)
	var key strings.Builder
	key.WriteString(receiver.Scheme + "://" + receiver.Host)
	for _, addr := range sorted {
		key.WriteString(" " + addr.String())
	}
	return key.String()
}
