package intake

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"errand/store/pg"
)

// PartitionsAhead is how many days of partitions are made before they are needed.
const PartitionsAhead = 3

// madePartitions remembers which partitions exist.
type madePartitions struct{ byDay sync.Map } // time.Time -> struct{}

// MakePartitions makes the partitions of today and of the days ahead.
func (w *Writer) MakePartitions(ctx context.Context) error {
	today := w.db.Now().Truncate(24 * time.Hour)
	for n := range PartitionsAhead + 1 {
		if err := w.MakePartition(ctx, today.AddDate(0, 0, n)); err != nil {
			return err
		}
	}
	return nil
}

// The tables that have a partition for each UTC day. Its name is the table's with the day.
const (
	storedTable  = "events"
	countedTable = "counted_events"
)

var dailyTables = []string{storedTable, countedTable}

// lockPartitions lets one server at a time make partitions. Neither reads nor new events wait for this lock, and it does
// not wait for them or for a pg_dump, unlike CREATE TABLE .. PARTITION OF.
const lockPartitions = `LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE`

// findPartition has nothing to do for a table that the schema does not have yet: a backup of an older server is loaded into its schema.
const findPartition = `SELECT to_regclass(@name) IS NOT NULL OR to_regclass(@table) IS NULL AS made`

// MakePartition makes the partitions of one UTC day. If several servers try at the same time, the later ones find them made.
func (w *Writer) MakePartition(ctx context.Context, day time.Time) error {
	if _, made := w.partitions.byDay.Load(day); made {
		return nil
	}
	err := w.db.InWriterTx(ctx, func(t *pg.Tx) error {
		if err := t.ExecAll(ctx, `SET LOCAL lock_timeout = '5s'`, lockPartitions); err != nil {
			return err
		}
		for _, table := range dailyTables {
			if err := makePartitionOf(ctx, t, table, day); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		w.partitions.byDay.Store(day, struct{}{})
	}
	return err
}

// nameOfPartition returns the name of a table's partition, such as events_20260103.
func nameOfPartition(table string, day time.Time) string {
	return table + "_" + day.Format(partitionDay)
}

func makePartitionOf(ctx context.Context, t *pg.Tx, table string, day time.Time) error {
	name := nameOfPartition(table, day)
	there, err := pg.QueryOne[struct{ Made bool }](ctx, t, findPartition, pg.Args{"name": name, "table": table})
	if err != nil || there.Made {
		return err
	}
	return t.ExecAll(ctx,
		fmt.Sprintf(`CREATE TABLE %s (LIKE %s INCLUDING ALL)`, name, table),
		fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%sT00:00:00Z') TO ('%sT00:00:00Z')`,
			table, name, day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
}

const partitionDay = "20060102"

const listPartitions = `
SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = to_regclass(@table) ORDER BY c.relname`

// listDays returns the UTC days that have a partition of a table, the oldest first.
func (w *Writer) listDays(ctx context.Context, table string) (days []time.Time, err error) {
	partitions, err := pg.QueryMany[struct{ Name string }](ctx, w.db.Main, listPartitions, pg.Args{"table": table})
	for _, p := range partitions {
		if day, err := time.Parse(partitionDay, strings.TrimPrefix(p.Name, table+"_")); err == nil {
			days = append(days, day)
		}
	}
	return days, err
}

// dropPartition drops a partition. It locks the whole table for a moment: if a long pg_dump prevents that, the partition stays.
func (w *Writer) dropPartition(ctx context.Context, table string, day time.Time) error {
	name := nameOfPartition(table, day)
	return w.db.ChangeTables(ctx,
		fmt.Sprintf(`ALTER TABLE %s DETACH PARTITION %s`, table, name),
		fmt.Sprintf(`DROP TABLE %s`, name))
}
