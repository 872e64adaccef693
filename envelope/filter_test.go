package envelope_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/envelope"
)

// filterEnvelope returns the output of a filter for an envelope that arrives in pieces of piece bytes.
func filterEnvelope(t *testing.T, body []byte, piece int) []byte {
	t.Helper()
	var out bytes.Buffer
	filter := envelope.NewFilter(&out)
	for len(body) > 0 {
		n := min(piece, len(body))
		written, err := filter.Write(body[:n])
		require.NoError(t, err)
		require.Equal(t, n, written)
		body = body[n:]
	}
	require.NoError(t, filter.Close())
	return out.Bytes()
}

// withoutPayloads lists the items, with the payloads of events only.
func withoutPayloads(env envelope.Envelope) string {
	for i, item := range env.Items {
		if item.Kind == envelope.Unknown {
			env.Items[i].Type = "unknown"
		}
		if item.Kind != envelope.Event {
			env.Items[i].Payload = nil
		}
	}
	return listItems(env)
}

func TestFilter(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 1000)
	for name, tt := range map[string]struct{ body, want string }{
		"an attachment with a length": {"{}\n{\"type\":\"event\"}\n{}\n{\"type\":\"attachment\",\"length\":1000}\n" + large +
			"\n{\"type\":\"event\",\"length\":2}\n{}",
			"{}\n{\"type\":\"event\"}\n{}\n{\"type\":\"attachment\",\"length\":0}\n\n{\"type\":\"event\",\"length\":2}\n{}"},
		"one without a length": {"{}\n{\"type\":\"attachment\"}\n" + large + "\n{\"type\":\"event\"}\n{}\n",
			"{}\n{\"type\":\"attachment\",\"length\":0}\n{\"type\":\"event\"}\n{}\n"},
		"the last item": {"{}\n{\"type\":\"replay_video\",\"length\":1000}\n" + large,
			"{}\n{\"type\":\"replay_video\",\"length\":0}\n"},
		"an unknown type": {"{}\n{\"type\":\"nov\\\"elty\"}\n" + large, "{}\n{\"type\":\"unknown\",\"length\":0}\n"},
		"lines in a payload": {"{}\n{\"type\":\"attachment\",\"length\":39}\n{\"type\":\"event\"}\n{\"message\":\"no event\"}\n",
			"{}\n{\"type\":\"attachment\",\"length\":0}\n\n"},
		"a wrong length": {"{}\n{\"type\":\"attachment\",\"length\":10}\n" + large + "\n{\"type\":\"event\"}\n{}\n",
			"{}\n{\"type\":\"attachment\",\"length\":0}\n{\"type\":\"event\"}\n{}\n"},
		"a payload that ends early": {"{}\n{\"type\":\"attachment\",\"length\":9000}\n" + large,
			"{}\n{\"type\":\"attachment\",\"length\":9000}\n" + large},
	} {
		t.Run(name, func(t *testing.T) {
			for _, piece := range []int{1, 7, len(tt.body)} {
				require.Equal(t, tt.want, string(filterEnvelope(t, []byte(tt.body), piece)), "%s, %d at a time", name, piece)
			}
		})
	}
}

// SplitEnvelope finds the same in every envelope with and without a filter.
func TestFilterKeepsWhatSplitFinds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{
		"{\"type\":\"event\"}\n{\"a\":1}\n", "{\"type\":\"event\",\"length\":7}\n{\"a\":\n1}\n",
		"{\"type\":\"event\",\"length\":2}\n{\"a\":1}\n",
		"{\"type\":\"event\",\"length\":0}\n", "{\"type\":\"attachment\",\"length\":5}\na\nb\nc\n",
		"{\"type\":\"attachment\",\"length\":2}\nabcdef\n",
		"{\"type\":\"session\"}\n{}\n", "{\"type\":\"session\",\"length\":2}\r\n{}\r\n", "{\"type\":\"attachment\",\"length\":0}\n\n",
		"{\"type\":\"novelty\"}\nx\n",
		"{\"type\":\"log\",\"length\":0}\n", "{\"length\":1}\nx\n", "{\"type\":7}\nx\n", "nonsense\n", "{\"type\":\"event\",\n", "[]\n",
		"\n", "\r\n\n", "{\"x\":1}\n",
		"{\"type\":\"transaction\",\"spans\":[]}\n", "{\"type\":\"event\",\"length\":-1}\n{}\n", "{\"type\":\"attachment\"}\n\n", "x",
		"{\"type\":\"session\"}",
		"{\"type\":\"attachment\",\"length\":70}\nabc\n", "{\"type\":\"session\",\"length\":7000}\n{}\n",
		"{\"type\":\"event\",\"length\":7000}\n{}\n",
	}
	for range 3000 {
		body := "{}\n"
		for range random.IntN(12) {
			body += parts[random.IntN(len(parts))]
		}
		env, err := envelope.SplitEnvelope([]byte(body))
		require.NoError(t, err)
		want := withoutPayloads(env)
		filtered := filterEnvelope(t, []byte(body), 1+random.IntN(len(body)))
		env, err = envelope.SplitEnvelope(filtered)
		require.NoError(t, err, "%q", body)
		got := withoutPayloads(env)

		require.Equal(t, besideLengths(want), besideLengths(got), "%q became %q", body, filtered)
	}
}

// besideLengths removes problems with lengths: a filter does not check the lengths inside payloads that nobody reads.
func besideLengths(found string) string {
	var kept []string
	for part := range strings.SplitSeq(found, " | ") {
		if !strings.Contains(part, "ends inside a line") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, " | ")
}

// An event is found behind an attachment of any size that is shorter than its length.
func TestFilterFindsEventsBehindAPayloadThatEndsEarly(t *testing.T) {
	t.Parallel()
	const event = "{\"type\":\"event\"}\n{\"message\":\"boom\"}\n"
	for name, attachment := range map[string]string{
		"lines":           strings.Repeat("a line\n", 100_000),
		"one line":        strings.Repeat("x", 700_000) + "\n",
		"a small one":     "x\n",
		"headers":         strings.Repeat("{\"type\":\"session\",\"a\":0}\n", 30_000),
		"just the tail":   strings.Repeat("x", 256<<10-len(event)-1) + "\n",
		"twice the tail":  strings.Repeat("x", 512<<10-len(event)-1) + "\n",
		"behind a longer": strings.Repeat("x", 300_000) + "\n{\"type\":\"session\",\"length\":900000}\n{}\n",
	} {
		t.Run(name, func(t *testing.T) {
			body := []byte("{}\n" + event +
				"{\"type\":\"attachment\",\"length\":5}\nabcde\n{\"type\":\"attachment\",\"length\":2000000}\n" + attachment + event)
			for _, piece := range []int{4 << 10, 32<<10 + 1, 300 << 10, len(body)} {
				filtered := filterEnvelope(t, body, piece)

				require.Less(t, len(filtered), 257<<10)

				env, err := envelope.SplitEnvelope(filtered)
				require.NoError(t, err)
				var events int
				for _, item := range env.Items {
					if item.Kind == envelope.Event {
						events++
					}
				}
				require.Equal(t, 2, events, "%s, %d at a time", name, piece)
				require.Contains(t, env.Problems[0].Reason, "beyond the end of the envelope")
			}
		})
	}
	half := "{\"type\":\"event\"}\n" + strings.Repeat("x", 256<<10-10) // the tail begins inside its header
	env, err := envelope.SplitEnvelope(filterEnvelope(t, []byte("{}\n{\"type\":\"attachment\",\"length\":2000000}\n{\"x\":"+half), 32<<10))
	require.NoError(t, err)

	require.Empty(t, env.Items)
}

func TestFilterOfManyItems(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{"{\"type\":\"session\"}\n{}\n", "{\"type\":\"event\"}\n{}\n"} {
		filtered := filterEnvelope(t, []byte("{}\n"+strings.Repeat(payload, 500_000)), 32<<10)

		require.Less(t, len(filtered), 40_000)

		env, err := envelope.SplitEnvelope(filtered)
		require.NoError(t, err)

		require.Len(t, env.Items, 1000)
		require.Equal(t, "the envelope has more than 1000 items; the rest is left out", env.Problems[0].Reason)
	}
}

// Input without an end does not stay in the filter.
func TestFilterHoldsLittle(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]string{
		"the envelope's header": "{", "an item's header": "{}\n{\"type\":\"attachment\",", "a malformed item": "{}\n[\n{",
		"an event": "{}\n{\"type\":\"event\"}\n",
	} {
		var out bytes.Buffer
		f := envelope.NewFilter(&out)
		_, err := f.Write([]byte(start))
		require.NoError(t, err)
		for range 10 {
			_, err = f.Write(bytes.Repeat([]byte{' '}, 32<<10))
			require.NoError(t, err)
		}
		require.Greater(t, out.Len(), 9*32<<10, name)
	}
}

func TestFilterStopsWithItsWriter(t *testing.T) {
	t.Parallel()
	f := envelope.NewFilter(fullWriter{})
	_, err := f.Write([]byte("{}\n"))

	require.ErrorContains(t, err, "full")
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("full") }
