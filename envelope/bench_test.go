package envelope_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"errand/envelope"

	"github.com/stretchr/testify/require"
)

// receivedAt is when the server receives the events of testdata: half a second after they happened.
var receivedAt = time.Date(2026, 1, 3, 18, 22, 51, 0, time.UTC)

// sdkNames names the events in testdata, each as the SDK of that platform sends it.
var sdkNames = []string{"node", "browser", "python", "go", "java", "php"}

// readPayload returns an event of testdata in its wire form.
func readPayload(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	var wire bytes.Buffer
	require.NoError(t, json.Compact(&wire, text))
	return wire.String()
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range sdkNames {
		b.Run(name, func(b *testing.B) {
			wire := []byte(readPayload(b, name))
			b.SetBytes(int64(len(wire)))
			b.ReportAllocs()
			var d envelope.Decoder
			for b.Loop() {
				if _, err := d.Decode(wire, envelope.Hints{ReceivedAt: receivedAt}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecodeNative(b *testing.B) {
	wire := []byte(`{"message":"queue is full","level":"warning","platform":"go","release":"billing@2.0.1",` +
		`"exception":{"type":"QueueError","value":"512 jobs waiting","stack":"goroutine 1 [running]:\nmain.run(0x1)\n\t/b/main.go:31 ` +
		`+0x1d\n"},` +
		`"tags":{"queue":"mail"},"user":{"id":7}}`)
	b.ReportAllocs()
	var d envelope.Decoder
	for b.Loop() {
		if _, err := d.DecodeNative(wire, envelope.Hints{ReceivedAt: receivedAt}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLimit(b *testing.B) {
	e, err := new(envelope.Decoder).Decode([]byte(readPayload(b, "node")), envelope.Hints{ReceivedAt: receivedAt})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		envelope.LimitEvent(e)
	}
}

func BenchmarkSplit(b *testing.B) {
	event := readPayload(b, "node")
	body := fmt.Appendf(nil, `{"event_id":"6b1f0c9d2e7a4f5586c1d3e4f5a60718","sent_at":"2026-01-03T18:22:50.200Z",`+
		`"sdk":{"name":"sentry.javascript.node","version":"11.0.0"},"trace":{"environment":"production","release":"shop@4.18.2",`+
		`"public_key":"0123456789abcdef0123456789abcdef","trace_id":"0af7651916cd43dd8448eb211c80319c","sampled":"true"}}`+
		"\n{\"type\":\"event\",\"length\":%d}\n%s\n", len(event), event)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := envelope.SplitEnvelope(body); err != nil {
			b.Fatal(err)
		}
	}
}
