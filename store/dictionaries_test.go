package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

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
	pack := func(project int64, text []byte) store.Payload {
		e := store.NewEvent{ProjectID: project}
		s.Pack(t.Context(), &e, text)
		return e.Payload
	}
	samples := kinds(100)
	next := kinds(101)[100]
	plain := pack(shop, next)
	require.Zero(t, plain.Dictionary)

	require.NoError(t, s.TrainDictionary(t.Context(), shop))
	require.Zero(t, pack(shop, next).Dictionary, "there is nothing to learn from")
	for n, sample := range samples {
		e := event(shop, fmt.Sprint("kind ", n%20), n, c.at(0))
		s.Pack(t.Context(), &e, sample)
		add(t, s, e)
	}
	require.NoError(t, s.TrainDictionary(t.Context(), shop))
	packed := pack(shop, next)
	require.NotZero(t, packed.Dictionary, "it is used at once")
	require.Less(t, len(packed.Bytes)*2, len(plain.Bytes), "a dictionary makes it smaller")

	for n, payload := range []store.Payload{plain, packed} {
		e := event(shop, "with a dictionary", 200+n, c.at(0))
		e.Payload = payload
		got, err := s.Event(t.Context(), add(t, s, e).ID)
		require.NoError(t, err)
		require.Equal(t, next, got.Event.AppendJSON(nil))
	}
	require.NoError(t, s.TrainDictionary(t.Context(), shop), "from events that have one already")
	require.Greater(t, pack(shop, next).Dictionary, packed.Dictionary)
	require.Zero(t, pack(shop+1, next).Dictionary, "a dictionary is for its own project")
}

func TestDictionaryIsOfAllKinds(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	kind := func(platform string) []byte {
		e := core.Event{Platform: platform, Level: "error"}
		for f := range 30 {
			sum := sha256.Sum256(fmt.Append(nil, platform, f)) // nothing that the kinds have in common
			e.Exceptions = append(e.Exceptions, core.Exception{Type: core.Untrusted(hex.EncodeToString(sum[:]))})
		}
		return e.AppendJSON(nil)
	}
	texts := map[string][]byte{"node": kind("node"), "python": kind("python")}
	give := func(platform string, issues int, at time.Duration) {
		events := make([]store.NewEvent, issues)
		for n := range events {
			events[n] = event(shop, fmt.Sprint(platform, n), n, c.at(at))
			events[n].Platform = platform
			s.Pack(t.Context(), &events[n], texts[platform])
		}
		add(t, s, events...)
	}
	give("python", 3, 0)
	give("node", 400, time.Hour)
	require.NoError(t, s.TrainDictionary(t.Context(), shop))
	for platform, text := range texts {
		e := event(shop, platform, 1, c.at(0))
		s.Pack(t.Context(), &e, text)
		require.Less(t, e.Payload.Size()*10, len(text), platform)
	}
}

func TestUntrainedProjects(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	for n, sample := range kinds(50) {
		e := event(shop, fmt.Sprint("kind ", n), n, c.at(0))
		s.Pack(t.Context(), &e, sample)
		add(t, s, e)
	}
	for enough, want := range map[int]int{50: 1, 51: 0} {
		projects, err := s.UntrainedProjects(t.Context(), enough)
		require.NoError(t, err)
		require.Len(t, projects, want)
	}
	require.NoError(t, s.TrainDictionary(t.Context(), shop))
	projects, err := s.UntrainedProjects(t.Context(), 50)
	require.NoError(t, err)
	require.Empty(t, projects, "it has one that is young")
}

func TestEventsBeyondTheCapArePackedWhenTheyAreStored(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	text := kinds(1)[0]
	var full []store.NewEvent
	for n := range store.DefaultKeep {
		full = append(full, event(shop, "hot", int(n), c.at(0)))
	}
	add(t, s, full...)
	var more []store.NewEvent
	for n := range 3 {
		e := event(shop, "hot", store.DefaultKeep+n, c.at(1))
		s.Pack(t.Context(), &e, text)
		require.Equal(t, len(text), e.Payload.Size(), "not compressed")
		more = append(more, e)
	}
	added, err := s.AddEvents(t.Context(), more)
	require.NoError(t, err)
	require.Zero(t, added[0].ID)
	got, err := s.Event(t.Context(), added[2].ID)
	require.NoError(t, err)
	require.Equal(t, text, got.Event.AppendJSON(nil))
}
