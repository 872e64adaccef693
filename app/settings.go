package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"errand/core"
	"errand/store"
)

// refreshEvery is how often a server reads the settings of the installation. A change applies everywhere within 60
// seconds (decisions 2), even if some reads fail.
const refreshEvery = 10 * time.Second

// settings keeps the installation's settings current on this server.
type settings struct {
	store        *store.Store
	log          *slog.Logger
	given        map[string]string // what this server was started with
	defaultsHere map[string]string // apply on it when the installation has none
	stored       map[string]store.StoredSetting
}

// establishSettings writes the settings that this server was given into the database, where they apply to the whole
// installation from then on, and reads the others from there.
func (s *settings) establishSettings(ctx context.Context, by string) error {
	values := map[string]*string{}
	for name, value := range s.given {
		values[name] = &value
	}
	changes, err := s.store.SaveSettings(ctx, values, by)
	if err != nil {
		return err
	}
	for _, c := range changes {
		s.log.WarnContext(ctx, "this server has changed a setting of the installation",
			"setting", c.Name, "old", s.showValue(c.Name, c.Old), "new", s.showValue(c.Name, c.New))
	}
	rows, err := s.store.LoadSettings(ctx)
	if err != nil {
		return err
	}
	s.stored = groupByName(rows)
	for name, given := range s.given {
		if row := s.stored[name]; row.Value == nil || *row.Value != given { // another server that started at the same time was later
			s.reportChange(ctx, &given, row)
		}
	}
	var effective []any
	for _, setting := range core.InstallationSettings() {
		effective = append(effective, slog.String(setting.Name, s.showValue(setting.Name, s.stored[setting.Name].Value)))
	}
	s.log.DebugContext(ctx, "settings of the installation", effective...)
	return nil
}

// watchSettings keeps the settings current until ctx ends.
func (s *settings) watchSettings(ctx context.Context, every time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(every / 4): // other looks at the database begin now too: together they would always need one more connection
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := s.refreshWithin(ctx, every)
		if err != nil && !failing && ctx.Err() == nil {
			s.log.WarnContext(ctx, "the settings of the installation cannot be read: the last known ones stay in force", "error", err)
		}
		failing = err != nil
	}
}

// refreshWithin is refreshSettings with a deadline, since the next refresh comes then.
func (s *settings) refreshWithin(ctx context.Context, atMost time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	return s.refreshSettings(ctx)
}

// refreshSettings reads the settings, and logs the changes that others made.
func (s *settings) refreshSettings(ctx context.Context) error {
	rows, err := s.store.LoadSettings(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		before := s.stored[row.Name]
		if before.SetAt.Equal(row.SetAt.Time) && before.SetBy == row.SetBy {
			continue
		}
		s.reportChange(ctx, before.Value, row)
	}
	s.stored = groupByName(rows)
	return nil
}

// reportChange logs that another server, or a person, changed a setting.
func (s *settings) reportChange(ctx context.Context, old *string, row store.StoredSetting) {
	attrs := []any{"setting", row.Name, "old", s.showValue(row.Name, old), "new", s.showValue(row.Name, row.Value), "by", row.SetBy, "at",
		row.SetAt}
	if given := s.given[row.Name]; given != "" {
		attrs = append(attrs, "started_with", given)
	}
	s.log.WarnContext(ctx, "a setting of the installation was changed, and applies here too", attrs...)
}

// showValue returns a value for people. A value that is not set shows as the default.
func (s *settings) showValue(name string, value *string) string {
	if value != nil {
		return *value
	}
	return defaultValueOf(name, s.defaultsHere) + " (default)"
}

// defaultValueOf returns the value that applies when the installation has none.
func defaultValueOf(name string, here map[string]string) string {
	if value := here[name]; value != "" {
		return value
	}
	for _, setting := range core.InstallationSettings() {
		if setting.Name == name {
			return setting.Default
		}
	}
	return ""
}

func groupByName(rows []store.StoredSetting) map[string]store.StoredSetting {
	named := map[string]store.StoredSetting{}
	for _, row := range rows {
		named[row.Name] = row
	}
	return named
}

// nameProcess returns the name of this process, to show who set something.
func nameProcess(what, version string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s, %s, Errand %s", host, what, version)
}
