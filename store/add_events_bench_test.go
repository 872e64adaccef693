package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// BenchmarkAddEvents adds batches of events of 1,000 issues that are known, each with a user of its own, as one sender
// and as many make them.
func BenchmarkAddEvents(b *testing.B) {
	for _, size := range []int{1, 32} {
		b.Run(fmt.Sprint("events=", size), func(b *testing.B) {
			s := storetest.New(b)
			makeProject(b, s, shop, "Shop")
			random := rand.NewChaCha8([32]byte{})
			payload := make([]byte, 500)
			_, _ = random.Read(payload)
			n := 0
			batch := func(size int) []store.NewEvent {
				events := make([]store.NewEvent, size)
				for i := range events {
					n++
					e := event(shop, fmt.Sprint("group ", n%1000), n, s.Now())
					e.ReceivedAt, e.User, e.Payload = core.At(s.Now().Time), user(n), store.Payload{Bytes: payload}
					events[i] = e
				}
				return events
			}
			add(b, s, batch(1000)...)
			for b.Loop() {
				_, err := s.AddEvents(b.Context(), batch(size))
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*size), "us/event")
		})
	}
}
