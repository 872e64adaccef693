package envelope_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"errand/envelope"
	"errand/testkit/golden"

	"github.com/stretchr/testify/require"
)

// TestDecodeGolden shows the whole events decoded from testdata.
func TestDecodeGolden(t *testing.T) {
	t.Parallel()
	for _, name := range sdkNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event, err := new(envelope.Decoder).Decode([]byte(readPayload(t, name)),
				envelope.Hints{ReceivedAt: receivedAt, PeerIP: "198.51.100.4"})
			require.NoError(t, err)
			before, err := json.MarshalIndent(event, "", "  ")
			require.NoError(t, err)
			envelope.LimitEvent(event)
			after, err := json.MarshalIndent(event, "", "  ")
			require.NoError(t, err)

			require.Equal(t, string(before), string(after), "these events are within the caps")

			golden.CheckFile(t, filepath.Join("testdata", name+".golden.json"), string(after)+"\n")
		})
	}
}
