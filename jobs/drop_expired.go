package jobs

import (
	"context"
	"errors"
	"time"

	"errand/core"
)

// dropWithin is long, since a day is dropped as a whole or not at all.
const dropWithin = 30 * time.Minute

type dropExpiredArgs struct{}

func (dropExpiredArgs) Kind() string { return "drop_expired" }

// readSettings reads the settings of the installation again: what a job deletes does not come back, and this server may have missed a
// change.
func (o Options) readSettings(ctx context.Context) (*core.Settings, error) {
	_, err := o.Store.LoadSettings(ctx)
	return o.Store.Settings(), err
}

// dropExpired deletes stored events that are older than the retention, the dictionaries that no stored event needs any more, and the ids
// of events that were only counted.
func dropExpired(o Options) job {
	return runEvery(time.Hour, dropWithin, dropExpiredArgs{}, func(ctx context.Context) error {
		settings, err := o.readSettings(ctx)
		if err != nil {
			return err
		}
		days := settings.RetentionDays
		dropped, err := o.Store.Intake.DropExpired(ctx, days)
		for _, day := range dropped {
			o.Log.InfoContext(ctx, "deleted stored events older than RETENTION_DAYS",
				"retention_days", days, "partition", day.Partition, "events", day.Events)
			if o.ObserveDropped != nil {
				o.ObserveDropped(day.Events)
			}
		}
		return errors.Join(err, o.Store.Intake.DropDictionaries(ctx), o.Store.Intake.ForgetCounted(ctx))
	})
}
