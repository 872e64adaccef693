package otlp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/otlp"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	require.Empty(t, otlp.Protobuf.WriteAnswer("traces", 0, ""), "full success is a message of no bytes")
	require.Equal(t, "{}", string(otlp.JSON.WriteAnswer("logs", 0, "")))

	reason := "7 exceptions were not taken: too many"

	require.Equal(t, "\x0a\x29\x08\x07\x12\x25"+reason, string(otlp.Protobuf.WriteAnswer("traces", 7, "too many")))
	for signal, name := range map[string]string{"traces": "rejectedSpans", "logs": "rejectedLogRecords"} {
		want := `{"partialSuccess":{"` + name + `":"7","errorMessage":"` + reason + `"}}`
		require.JSONEq(t, want, string(otlp.JSON.WriteAnswer(signal, 7, "too many")))
	}

	failure := core.NewError(core.Unauthorized)

	require.Equal(t, "\x08\x10\x12\x06no key", string(otlp.Protobuf.WriteStatus(failure, "no key")))
	require.JSONEq(t, `{"code":16,"message":"no key","error":"unauthorized"}`, string(otlp.JSON.WriteStatus(failure, "no key")))
}
