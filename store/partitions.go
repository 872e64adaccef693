package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// PartitionsAhead is how many days of event partitions are made before they are needed.
const PartitionsAhead = 3

// days remembers which partitions are there.
type days struct{ made sync.Map } // time.Time -> struct{}

// MakePartitions makes the partition of events for today and for the days ahead.
func (s *Store) MakePartitions(ctx context.Context) error {
	today := s.Now().Truncate(24 * time.Hour)
	for n := range PartitionsAhead + 1 {
		if err := s.makePartition(ctx, today.AddDate(0, 0, n)); err != nil {
			return err
		}
	}
	return nil
}

// makePartition makes the partition of one UTC day. Several servers may try at once: the loser finds it there.
func (s *Store) makePartition(ctx context.Context, day time.Time) error {
	if _, made := s.days.made.Load(day); made {
		return nil
	}
	_, err := s.pool.Exec(ctx, fmt.Sprintf(
		`CREATE TABLE IF NOT EXISTS `+partitionPrefix+`%s PARTITION OF events FOR VALUES FROM ('%sT00:00:00Z') TO ('%sT00:00:00Z')`,
		day.Format(partitionDay), day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
	// duplicate_table, unique_violation on the catalogue: another server was first.
	if err != nil && !hasState(err, "42P07", "23505") {
		return wrap(err)
	}
	s.days.made.Store(day, struct{}{})
	return nil
}
