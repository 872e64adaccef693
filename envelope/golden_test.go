package envelope_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"errand/envelope"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestDecodeGolden shows whole events as they come out of the events of testdata.
func TestDecodeGolden(t *testing.T) {
	t.Parallel()
	for _, name := range sdks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := envelope.Decode([]byte(payload(t, name)), envelope.Hints{ReceivedAt: received, PeerIP: "198.51.100.4"})
			require.NoError(t, err)
			before, err := json.MarshalIndent(e, "", "  ")
			require.NoError(t, err)
			envelope.Limit(e)
			after, err := json.MarshalIndent(e, "", "  ")
			require.NoError(t, err)
			require.Equal(t, string(before), string(after), "these events are within the caps")
			golden(t, filepath.Join("testdata", name+".golden.json"), append(after, '\n'))
		})
	}
}

// golden holds text against a file, which -update writes.
func golden(t *testing.T, file string, text []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, text, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "no golden file: run with -update and look at what it writes")
	require.Equal(t, string(want), string(text))
}
