package wire_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/wire"
)

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, asked, want string }{
		{"http://127.0.0.1:8080", "localhost:8080", "http://localhost:8080"},
		{"http://127.0.0.1:8080", "LOCALHOST:8080", "http://LOCALHOST:8080"},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"http://127.0.0.1:8080", "[::1]:8080", "http://[::1]:8080"},
		{"http://localhost:8080", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"http://localhost", "127.0.0.1", "http://127.0.0.1"},
		{"http://127.0.0.1:8080", "localhost:9090", "http://127.0.0.1:8080"},
		{"http://127.0.0.1:8080", "localhost", "http://127.0.0.1:8080"},
		{"http://127.0.0.1:8080", "evil.example:8080", "http://127.0.0.1:8080"},
		{"http://127.0.0.1:8080", "localhost.evil.example:8080", "http://127.0.0.1:8080"},
		{"http://127.0.0.1:8080", "localhost:8080@evil.example", "http://127.0.0.1:8080"},
		{"http://127.0.0.1:8080", "", "http://127.0.0.1:8080"},
		{"https://errand.example", "localhost:443", "https://errand.example"},
		{"https://errand.example", "127.0.0.1:8080", "https://errand.example"},
	} {
		request := httptest.NewRequest("GET", "/mcp", nil)
		request.Host = c.asked
		require.Equal(t, c.want, wire.PublicURL(c.base, request), c.asked)
	}
}
