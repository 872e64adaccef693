package otlp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/otlp"
	"errand/testkit/golden"
)

var receivedAt = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// TestDecodeGolden shows the events from the exports in testdata: OpenTelemetry's SDKs for Python and Node sent them for one
// exception that passes two spans, and for the log record about it.
func TestDecodeGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*[a-z].[jp][sb]*")
	require.NoError(t, err)
	for _, file := range files {
		if strings.Contains(file, ".golden.") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(file)
			require.NoError(t, err)
			signal, encoding := otlp.Traces, otlp.Protobuf
			if strings.Contains(file, "logs") {
				signal = otlp.Logs
			}
			if strings.HasSuffix(file, ".json") {
				encoding = otlp.JSON
			}
			text, err := json.MarshalIndent(readEvents(t, body, encoding, signal), "", "  ")
			require.NoError(t, err)
			golden.CheckFile(t, strings.TrimSuffix(file, filepath.Ext(file))+".golden.json", string(text)+"\n")
		})
	}
}

// readEvents reads a request and returns its events.
func readEvents(t testing.TB, body []byte, e otlp.Encoding, s otlp.Signal) []*core.Event {
	t.Helper()
	batch, err := otlp.ReadRequest(body, e, s)
	require.NoError(t, err)
	require.Zero(t, batch.Rejected, batch.Reason)
	return decodeAll(t, batch)
}

func decodeAll(t testing.TB, batch *otlp.Batch) []*core.Event {
	t.Helper()
	list := make([]*core.Event, batch.Len())
	for n := range list {
		e, err := batch.DecodeEvent(n, new(envelope.Decoder), envelope.Hints{ReceivedAt: receivedAt})
		require.NoError(t, err)
		list[n] = e
	}
	return list
}
