package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// kinds makes the stored forms of events that have much in common.
func kinds(n int) [][]byte {
	var list [][]byte
	for i := range n {
		e := core.Event{Platform: "go", Level: "error", Message: core.Untrusted(fmt.Sprintf("order %d cannot be paid by %x", i, i*7919))}
		for f := range 12 {
			e.Exceptions = append(e.Exceptions, core.Exception{Type: "PaymentError", Frames: []core.Frame{{
				Function: core.Untrusted(fmt.Sprintf("pay%d", (i+f)%40)), Module: "shop/checkout/payments", Filename: "payments.go", Lineno: core.OptInt(i + f),
			}}})
		}
		list = append(list, e.AppendJSON(nil))
	}
	return list
}

func TestDictionary(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	samples := kinds(100)
	plain := s.PackFor(t.Context(), shop, samples[0])
	require.Zero(t, plain.Dictionary)

	require.NoError(t, s.AddDictionary(t.Context(), shop, func(id uint32) ([]byte, error) {
		return dict.BuildZstdDict(samples, dict.Options{MaxDictSize: 16 << 10, HashBytes: 6, ZstdDictID: id, ZstdLevel: zstd.SpeedFastest})
	}))
	c.forward(10 * 60 * 1e9)
	packed := s.PackFor(t.Context(), shop, samples[0])
	require.NotZero(t, packed.Dictionary)
	require.Less(t, len(packed.Bytes)*2, len(plain.Bytes), "a dictionary makes it smaller")

	for _, payload := range []store.Payload{plain, packed} {
		e := event(shop, "with a dictionary", int(payload.Dictionary), c.at(0))
		e.Payload = payload
		got, err := s.Event(t.Context(), add(t, s, e).ID)
		require.NoError(t, err)
		require.Equal(t, samples[0], got.Event.AppendJSON(nil))
	}
	read, err := s.SampleEvents(t.Context(), shop, 20)
	require.NoError(t, err)
	require.Equal(t, [][]byte{samples[0], samples[0]}, read)

	other := s.PackFor(t.Context(), shop+1, []byte(strings.Repeat("x", 100)))
	require.Zero(t, other.Dictionary, "a dictionary is for its own project")
}

func TestUntrainedProjects(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	for n := range 5 {
		add(t, s, event(shop, "a", n, c.at(0)))
	}
	for enough, want := range map[int]int{5: 1, 6: 0} {
		projects, err := s.UntrainedProjects(t.Context(), enough)
		require.NoError(t, err)
		require.Len(t, projects, want)
	}
	require.NoError(t, s.AddDictionary(t.Context(), shop, func(uint32) ([]byte, error) { return []byte("any"), nil }))
	projects, err := s.UntrainedProjects(t.Context(), 5)
	require.NoError(t, err)
	require.Empty(t, projects, "it has one that is young")
	require.NotZero(t, add(t, s, event(shop, "a", 9, c.at(0))).ID)
	require.Zero(t, s.PackFor(t.Context(), shop, []byte("{}")).Dictionary, "what is no dictionary is not used")
}
