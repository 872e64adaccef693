package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// BenchmarkMergeIssues merges issues that have all that an issue can have: a million counted events over 30 days, as many
// stored as it keeps, and as many users as are counted. Ingest waits for as long as a merge takes.
func BenchmarkMergeIssues(b *testing.B) {
	for _, sources := range []int{1, 10} {
		b.Run(fmt.Sprint("sources=", sources), func(b *testing.B) {
			c := &clock{noon}
			s := storetest.NewAt(b, c.tell)
			makeProject(b, s, shop, "Shop")
			for round := 0; b.Loop(); round++ {
				b.StopTimer()
				ids := make([]int64, 1+sources)
				for n := range ids {
					ids[n] = fullIssue(b, s, c, fmt.Sprint("round ", round, " issue ", n))
				}
				b.StartTimer()
				merged, err := s.CarryOut(b.Context(), person(1), store.MergeIssues{Target: ids[0], Sources: ids[1:]})
				require.NoError(b, err)
				require.EqualValues(b, store.DefaultKeep, merged.Issue.StoredEvents)
				require.EqualValues(b, len(ids)*1_000_000, merged.Issue.TimesSeen)
			}
		})
	}
}

// fullIssue makes an issue with a million events.
func fullIssue(b *testing.B, s *store.Store, c *clock, group string) int64 {
	random := rand.NewChaCha8([32]byte{})
	var events []store.NewEvent
	for n := range store.DefaultKeep {
		e := event(shop, group, n, c.at(-time.Duration(n)*time.Second))
		e.ReceivedAt = core.At(c.now.Add(-time.Duration(n%30) * 24 * time.Hour))
		e.User = user(n)
		e.Payload.Bytes = make([]byte, 1500)
		_, _ = random.Read(e.Payload.Bytes)
		events = append(events, e)
	}
	id := add(b, s, events...).IssueID
	change(b, s, `UPDATE issues SET times_seen = 1000000 WHERE id = $1`, id)
	change(b, s, `INSERT INTO issue_hours SELECT $1, $2, $3::timestamptz - n * interval '1 hour', 1388 FROM generate_series(1, 720) n
		ON CONFLICT DO NOTHING`, shop, id, noon.Truncate(time.Hour))
	return id
}
