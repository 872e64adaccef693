package envelope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/envelope"
)

// TestMillionsOfLevels nests values in every field of an event; no reader may follow them to the end.
func TestMillionsOfLevels(t *testing.T) { // not parallel: it takes memory
	fields := []string{
		"message", "logentry", "exception", "stacktrace", "threads", "breadcrumbs", "contexts", "extra", "tags", "user", "request", "sdk",
		"modules", "debug_meta", "fingerprint", "timestamp", "level", "template", "csp", "hpkp", "expectct", "_meta", "unknown",
	}
	for name, nesting := range map[string][2]string{
		"objects": {`{"":`, `}`}, "lists": {`[`, `]`}, "values": {`{"values":`, `}`}, "lists of values": {`{"values":[`, `]}`},
		"exceptions": {`{"exception":[`, `]}`},
	} {
		levels := 12 << 20 / (len(nesting[0]) + len(nesting[1]))
		deep := strings.Repeat(nesting[0], levels) + "0" + strings.Repeat(nesting[1], levels)
		for _, body := range []string{deep, strings.Repeat(nesting[0], levels), strings.Repeat(nesting[1], levels)} {
			_, _ = new(envelope.Decoder).Decode([]byte(body), envelope.Hints{ReceivedAt: receivedAt})
			r := envelope.NewReader([]byte(body))
			r.VisitMembers(func(string) { r.VisitElements(func() {}) })
		}
		shallow := strings.Repeat(nesting[0], 200_000) + "0" + strings.Repeat(nesting[1], 200_000)
		for _, field := range fields {
			value := shallow
			if field == "extra" || field == "exception" {
				value = deep
			}
			e, err := new(envelope.Decoder).Decode([]byte(`{"`+field+`":`+value+`,"release":"r1"}`), envelope.Hints{ReceivedAt: receivedAt})
			require.NoError(t, err, "%s in %s", name, field)

			require.EqualValues(t, "r1", e.Release)

			envelope.LimitEvent(e)
		}
	}
}
