package api

import (
	"context"
	"net/http"
	"strings"
)

type traceKey struct{}

// TraceIDOf returns the id of the W3C trace that the context's request belongs to, according to the client; empty for none.
func TraceIDOf(ctx context.Context) string {
	id, _ := ctx.Value(traceKey{}).(string)
	return id
}

// traceID reads the header traceparent: version-trace-parent-flags in lower-case hexadecimal digits. Any other form is
// ignored, so that no other text of a client gets into the log. Later versions may add parts.
func traceID(h http.Header) string {
	values := h.Values("Traceparent")
	if len(values) != 1 {
		return ""
	}
	parts := strings.SplitN(values[0], "-", 5)
	if len(parts) < 4 || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 {
		return ""
	}
	for i, length := range []int{2, 32, 16, 2} {
		if len(parts[i]) != length || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return ""
		}
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}
