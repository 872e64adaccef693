package wire

import (
	"mime"
	"net/http"
	"strings"
)

// programPaths are the paths for programs. A request's Accept does not matter there.
var programPaths = []string{"/v1", "/api", "/mcp"}

// WantsPage reports whether a browser requests a page: it accepts HTML, and the path is not for programs.
func WantsPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for _, path := range programPaths {
		if r.URL.Path == path || strings.HasPrefix(r.URL.Path, path+"/") {
			return false
		}
	}
	for accepted := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if kind, parameters, err := mime.ParseMediaType(accepted); err == nil && kind == "text/html" {
			return strings.Trim(parameters["q"], "0.") != "" || parameters["q"] == ""
		}
	}
	return false
}
