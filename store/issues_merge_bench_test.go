package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// BenchmarkMergeIssues merges issues with everything that an issue can have: a million counted events over 30 days, as many
// stored events as it keeps, and as many users as are counted. Ingest waits while a merge runs.
func BenchmarkMergeIssues(b *testing.B) {
	for _, sources := range []int{1, 10} {
		b.Run(fmt.Sprint("sources=", sources), func(b *testing.B) {
			c := storetest.NewClock()
			s := storetest.NewAt(b, c.Tell)
			storetest.MakeProject(b, s, storetest.Shop, "Shop")
			for round := 0; b.Loop(); round++ {
				b.StopTimer()
				ids := make([]int64, 1+sources)
				for n := range ids {
					ids[n] = fullIssue(b, s, c, fmt.Sprint("round ", round, " issue ", n))
				}
				b.StartTimer()
				merged, err := s.CarryOut(b.Context(), storetest.MakeActor(1), store.MergeIssues{Target: ids[0], Sources: ids[1:]})
				require.NoError(b, err)
				require.EqualValues(b, intake.DefaultKeep, merged.Issue.StoredEvents)
				require.EqualValues(b, len(ids)*1_000_000, merged.Issue.TimesSeen)
			}
		})
	}
}

// fullIssue makes an issue with a million events.
func fullIssue(b *testing.B, s *store.Store, c *storetest.Clock, group string) int64 {
	random := rand.NewChaCha8([32]byte{})
	var events []intake.NewEvent
	for n := range intake.DefaultKeep {
		e := storetest.MakeShopEvent(group, n, c.At(-time.Duration(n)*time.Second))
		e.ReceivedAt = core.At(c.Now.Add(-time.Duration(n%30) * 24 * time.Hour))
		e.User = storetest.HashUser(n)
		e.Payload.Bytes = make([]byte, 1500)
		_, _ = random.Read(e.Payload.Bytes)
		events = append(events, e)
	}
	id := storetest.AddEvents(b, s, events...).IssueID
	storetest.ChangeRows(b, s, `UPDATE issues SET times_seen = 1000000 WHERE id = $1`, id)
	storetest.ChangeRows(b, s, `INSERT INTO issue_hours SELECT $1, $2, $3::timestamptz - n * interval '1 hour', 1388
		FROM generate_series(1, 720) n
		ON CONFLICT DO NOTHING`, storetest.Shop, id, storetest.Noon.Truncate(time.Hour))
	return id
}
