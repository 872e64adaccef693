package core_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestWriteBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 980: "980 bytes", 1000: "1.0 kB", 1_240_000: "1.2 MB", 74_560_000_000: "75 GB", math.MaxInt64: "9223 PB",
	} {
		require.Equal(t, want, core.WriteBytes(n))
	}
}
