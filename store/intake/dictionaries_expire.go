package intake

import (
	"context"
	"time"

	"errand/store/pg"
)

// deleteDictionaries deletes those that have had a successor since before a time. A project's newest one always stays.
const deleteDictionaries = `
DELETE FROM dictionaries d WHERE EXISTS (
	SELECT 1 FROM dictionaries n WHERE n.project_id = d.project_id AND n.id > d.id AND n.created_at < @before)`

// successionTakes is more than servers need to notice a new dictionary (dictionaryAge), and more than their clocks differ.
const successionTakes = 24 * time.Hour

// DropDictionaries deletes the dictionaries that no stored event can need: they had a successor before the oldest day of
// stored events. It goes by the days that are there, not by RETENTION_DAYS: a day may outlast it.
func (w *Writer) DropDictionaries(ctx context.Context) error {
	days, err := w.listDays(ctx, storedTable)
	if err != nil || len(days) == 0 {
		return err
	}
	_, err = pg.Exec(ctx, w.db.Main, deleteDictionaries, pg.Args{"before": days[0].Add(-successionTakes)})
	return err
}
