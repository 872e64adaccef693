package intake

import (
	"context"
	"fmt"
	"sync"
	"time"

	"errand/store/pg"
)

// PartitionsAhead is how many days of event partitions are made before they are needed.
const PartitionsAhead = 3

// madePartitions remembers which partitions exist.
type madePartitions struct{ byDay sync.Map } // time.Time -> struct{}

// MakePartitions makes the partition of events for today and for the days ahead.
func (w *Writer) MakePartitions(ctx context.Context) error {
	today := w.db.Now().Truncate(24 * time.Hour)
	for n := range PartitionsAhead + 1 {
		if err := w.MakePartition(ctx, today.AddDate(0, 0, n)); err != nil {
			return err
		}
	}
	return nil
}

// lockPartitions lets one server at a time make a partition. Neither reads nor new events wait for this lock, and it does
// not wait for them or for a pg_dump, unlike CREATE TABLE .. PARTITION OF.
const lockPartitions = `LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE`

const findPartition = `SELECT to_regclass(@name) IS NOT NULL AS made`

// MakePartition makes the partition of one UTC day. If several servers try at the same time, the later ones find it made.
func (w *Writer) MakePartition(ctx context.Context, day time.Time) error {
	if _, made := w.partitions.byDay.Load(day); made {
		return nil
	}
	name := partitionPrefix + day.Format(partitionDay)
	err := w.db.InWriterTx(ctx, func(t *pg.Tx) error {
		if err := t.ExecAll(ctx, `SET LOCAL lock_timeout = '5s'`, lockPartitions); err != nil {
			return err
		}
		there, err := pg.QueryOne[struct{ Made bool }](ctx, t, findPartition, pg.Args{"name": name})
		if err != nil || there.Made {
			return err
		}
		return t.ExecAll(ctx,
			fmt.Sprintf(`CREATE TABLE %s (LIKE events INCLUDING ALL)`, name),
			fmt.Sprintf(`ALTER TABLE events ATTACH PARTITION %s FOR VALUES FROM ('%sT00:00:00Z') TO ('%sT00:00:00Z')`,
				name, day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
	})
	if err == nil {
		w.partitions.byDay.Store(day, struct{}{})
	}
	return err
}
