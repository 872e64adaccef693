package wire

import (
	"net/http"
	"net/url"

	"errand/core"
)

// PublicURL returns the public URL of the server under the name in the request. If baseURL is on the loopback
// interface, that is any loopback name: a client with the URL http://localhost:8080 refuses metadata for
// http://127.0.0.1:8080. Otherwise it is baseURL, since the sender chooses the name in a request.
func PublicURL(baseURL string, r *http.Request) string {
	base, err := url.Parse(baseURL)
	if err != nil || !core.IsLoopbackHost(base.Hostname()) {
		return baseURL
	}
	asked := url.URL{Host: r.Host}
	if asked.Port() != base.Port() || !core.IsLoopbackHost(asked.Hostname()) {
		return baseURL
	}
	base.Host = r.Host
	return base.String()
}
