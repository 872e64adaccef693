package wire

import (
	"net/http"
	"net/url"

	"errand/core"
)

// PublicURL returns the public URL of the server by the name that the request asks it by. Where baseURL is on the loopback interface,
// that is whichever loopback name was asked: a client that was set up with http://localhost:8080 refuses metadata of
// http://127.0.0.1:8080. Any other name of a request is the sender's to choose, so baseURL stands.
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
