//go:build e2e

package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between SDKs and the server and records what passes.
type proxy struct {
	url     string
	mu      sync.Mutex
	passed  []passage
	seconds string // wait that SDKs are told; empty: the server's own
}

// passage is a request and its answer.
type passage struct {
	method, path, body string
	status             int
	header             http.Header // of the server's answer
}

func startProxy(t *testing.T, s *server) *proxy {
	t.Helper()
	target, err := url.Parse(s.url)
	require.NoError(t, err)
	p := &proxy{}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: p})
	t.Cleanup(front.Close)
	p.url = front.URL
	return p
}

// dsnThrough changes a DSN so that it leads through the proxy.
func (p *proxy) dsnThrough(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	u.Host = strings.TrimPrefix(p.url, "http://")
	return u.String()
}

var secondsToWait = regexp.MustCompile(`^\d+`)

// RoundTrip passes a request on to the server.
func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed = append(p.passed, passage{r.Method, r.URL.Path, string(body), answer.StatusCode, answer.Header.Clone()})
	for _, name := range []string{"Retry-After", "X-Sentry-Rate-Limits"} {
		if told := answer.Header.Get(name); told != "" && p.seconds != "" {
			answer.Header.Set(name, secondsToWait.ReplaceAllLiteralString(told, p.seconds))
		}
	}
	return answer, nil
}

// tellRetryAfter sets how long SDKs are told to wait.
func (p *proxy) tellRetryAfter(seconds string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seconds = seconds
}

// passagesAbout returns the passages with a text in the request's body, in order.
func (p *proxy) passagesAbout(text string) (list []passage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.passed {
		if strings.Contains(one.body, text) {
			list = append(list, one)
		}
	}
	return list
}

// countRequests returns how many preflights of a path were answered with a status.
func (p *proxy) countRequests(path string, status int) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.passed {
		if one.method == http.MethodOptions && one.path == path && one.status == status {
			n++
		}
	}
	return n
}

func statusesOf(passed []passage) []int {
	list := make([]int, len(passed))
	for i, one := range passed {
		list[i] = one.status
	}
	return list
}
