package intake_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

// makeKinds makes the stored forms of events that have much in common.
func makeKinds(n int) [][]byte {
	var list [][]byte
	for i := range n {
		e := core.Event{Platform: "go", Level: "error", Message: core.Untrusted(fmt.Sprintf("order %d cannot be paid by %x", i, i*7919))}
		for f := range 12 {
			e.Exceptions = append(e.Exceptions, core.Exception{Type: "PaymentError", Frames: []core.Frame{{
				Function: core.Untrusted(fmt.Sprintf("pay%d", (i+f)%40)), Module: "shop/checkout/payments", Filename: "payments.go",
				Lineno: core.OptInt(i + f),
			}}})
		}
		list = append(list, e.AppendJSON(nil))
	}
	return list
}

func TestDictionary(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	pack := func(project int64, text []byte) intake.Payload {
		e := intake.NewEvent{ProjectID: project}
		s.Intake.PackEvent(t.Context(), &e, text)
		return e.Payload
	}
	samples := makeKinds(100)
	next := makeKinds(101)[100]
	plain := pack(storetest.Shop, next)
	require.Zero(t, plain.Dictionary)

	require.NoError(t, s.Intake.TrainDictionary(t.Context(), storetest.Shop))
	require.Zero(t, pack(storetest.Shop, next).Dictionary, "there is nothing to learn from yet")
	for n, sample := range samples {
		e := storetest.MakeShopEvent(fmt.Sprint("kind ", n%20), n, c.At(0))
		s.Intake.PackEvent(t.Context(), &e, sample)
		storetest.AddEvents(t, s, e)
	}
	require.NoError(t, s.Intake.TrainDictionary(t.Context(), storetest.Shop))
	packed := pack(storetest.Shop, next)
	require.NotZero(t, packed.Dictionary, "it is used immediately")
	require.Less(t, len(packed.Bytes)*2, len(plain.Bytes), "a dictionary makes it smaller")

	for n, payload := range []intake.Payload{plain, packed} {
		e := storetest.MakeShopEvent("with a dictionary", 200+n, c.At(0))
		e.Payload = payload
		got, err := s.ReadEvent(t.Context(), storetest.AddEvents(t, s, e).ID)
		require.NoError(t, err)
		require.Equal(t, next, got.Event.AppendJSON(nil))
	}
	require.NoError(t, s.Intake.TrainDictionary(t.Context(), storetest.Shop), "from events that have one already")
	require.Greater(t, pack(storetest.Shop, next).Dictionary, packed.Dictionary)
	require.Zero(t, pack(storetest.Shop+1, next).Dictionary, "a dictionary is for its own project")
}

func TestDictionaryIsOfAllKinds(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	kind := func(platform string) []byte {
		e := core.Event{Platform: platform, Level: "error"}
		for f := range 30 {
			sum := sha256.Sum256(fmt.Append(nil, platform, f)) // the kinds have none of this in common
			e.Exceptions = append(e.Exceptions, core.Exception{Type: core.Untrusted(hex.EncodeToString(sum[:]))})
		}
		return e.AppendJSON(nil)
	}
	texts := map[string][]byte{"node": kind("node"), "python": kind("python")}
	give := func(platform string, issues int, at time.Duration) {
		events := make([]intake.NewEvent, issues)
		for n := range events {
			events[n] = storetest.MakeShopEvent(fmt.Sprint(platform, n), n, c.At(at))
			events[n].Platform = platform
			s.Intake.PackEvent(t.Context(), &events[n], texts[platform])
		}
		storetest.AddEvents(t, s, events...)
	}
	give("python", 3, 0)
	give("node", 400, time.Hour)
	require.NoError(t, s.Intake.TrainDictionary(t.Context(), storetest.Shop))
	for platform, text := range texts {
		e := storetest.MakeShopEvent(platform, 1, c.At(0))
		s.Intake.PackEvent(t.Context(), &e, text)
		require.Less(t, e.Payload.Size()*10, len(text), platform)
	}
}

func TestUntrainedProjects(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	for n, sample := range makeKinds(50) {
		e := storetest.MakeShopEvent(fmt.Sprint("kind ", n), n, c.At(0))
		s.Intake.PackEvent(t.Context(), &e, sample)
		storetest.AddEvents(t, s, e)
	}
	for enough, want := range map[int]int{50: 1, 51: 0} {
		projects, err := s.Intake.UntrainedProjects(t.Context(), enough)
		require.NoError(t, err)
		require.Len(t, projects, want)
	}
	require.NoError(t, s.Intake.TrainDictionary(t.Context(), storetest.Shop))
	projects, err := s.Intake.UntrainedProjects(t.Context(), 50)
	require.NoError(t, err)
	require.Empty(t, projects, "its dictionary is young")
}

func TestEventsBeyondTheCapArePackedWhenTheyAreStored(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	text := makeKinds(1)[0]
	var full []intake.NewEvent
	for n := range intake.DefaultKeep {
		full = append(full, storetest.MakeShopEvent("hot", int(n), c.At(0)))
	}
	storetest.AddEvents(t, s, full...)
	var more []intake.NewEvent
	for n := range 3 {
		e := storetest.MakeShopEvent("hot", intake.DefaultKeep+n, c.At(1))
		s.Intake.PackEvent(t.Context(), &e, text)
		require.Equal(t, len(text), e.Payload.Size(), "not compressed")
		more = append(more, e)
	}
	added, err := s.Intake.AddEvents(t.Context(), more)
	require.NoError(t, err)
	require.Zero(t, added[0].ID)
	got, err := s.ReadEvent(t.Context(), added[2].ID)
	require.NoError(t, err)
	require.Equal(t, text, got.Event.AppendJSON(nil))
}
