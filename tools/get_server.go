package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"errand/core"
)

// ProcessFacts are what only the process knows of itself.
type ProcessFacts struct {
	Version, Go string
	StartedAt   core.Time
	IsPrivate   bool  // Errand runs its own Postgres
	Held        int64 // events in memory that are not in the database
	JobNames    []string
	Jobs        []core.JobState // the runs that this process remembers
	Disks       []core.DiskState
	Keys        []core.KeyState
}

// DescribeServer returns the facts of the process.
type DescribeServer func() ProcessFacts

func (t *Tools) getServer(ctx context.Context, _ core.Call, _ core.GetServerInput) (core.Data[core.Server], error) {
	var facts ProcessFacts
	if t.describe != nil {
		facts = t.describe()
	}
	server := core.Server{Version: facts.Version, Go: facts.Go, StartedAt: facts.StartedAt, Disks: facts.Disks, Keys: facts.Keys}
	err := t.readServer(ctx, &server)
	if err != nil {
		return wrapData(server, err)
	}
	server.Database.Private, server.Ingest.Held = facts.IsPrivate, facts.Held
	queued, err := t.store.ListJobStates(ctx)
	if err != nil {
		return wrapData(server, err)
	}
	server.Jobs = joinJobs(facts.JobNames, queued, facts.Jobs)
	server.Warnings = listServerWarnings(&server, t.store.Now().Time)
	return wrapData(server, nil)
}

// readServer reads what the database knows.
func (t *Tools) readServer(ctx context.Context, server *core.Server) (err error) {
	if server.Schema.Version, server.Schema.Known, err = t.store.ReadSchemaVersion(ctx); err != nil {
		return err
	}
	if server.Database, err = t.store.ReadDatabaseState(ctx); err != nil {
		return err
	}
	state, err := t.store.ReadIngestState(ctx, 0)
	if err != nil {
		return err
	}
	server.Ingest = core.ServerIngest{
		State: state.State, EventsToday: state.QuotaUsed, Events24h: state.Events24h, LastEventAt: state.LastEventAt,
	}
	if server.Queue, err = t.store.ReadQueueState(ctx); err != nil {
		return err
	}
	server.Settings, err = t.listSettings(ctx)
	return err
}

// listSettings returns the settings of the installation as they apply on this server.
func (t *Tools) listSettings(ctx context.Context) (core.List[core.SettingState], error) {
	list, err := t.store.ListSettings(ctx)
	for i := range list {
		list[i].Value = cmp.Or(list[i].Value, t.store.Settings().BaseURL)
	}
	return list, err
}

// joinJobs returns every job with the latest of what the queue and the process remember.
func joinJobs(names []string, remembered ...[]core.JobState) core.List[core.JobState] {
	byName := map[string]*core.JobState{}
	for _, name := range names {
		byName[name] = &core.JobState{Name: name}
	}
	for _, state := range slices.Concat(remembered...) {
		known := byName[state.Name]
		if known == nil { // a job of another version is none of this server's
			continue
		}
		if state.LastRunAt.After(known.LastRunAt.Time) {
			known.LastRunAt, known.Outcome = state.LastRunAt, state.Outcome
		}
		if state.LastSuccessAt.After(known.LastSuccessAt.Time) {
			known.LastSuccessAt = state.LastSuccessAt
		}
	}
	list := core.List[core.JobState]{}
	for _, name := range slices.Sorted(slices.Values(names)) {
		list = append(list, *byName[name])
	}
	return list
}

// When the state of the server is worth a warning.
const (
	fullDisk       = 90 // percent
	lateDelivery   = time.Hour
	manyHeldEvents = 1000
)

// listServerWarnings says what somebody should look at, the most urgent first.
func listServerWarnings(s *core.Server, now time.Time) core.List[string] {
	warnings := core.List[string]{}
	warn := func(isWrong bool, format string, args ...any) {
		if isWrong {
			warnings = append(warnings, fmt.Sprintf(format, args...))
		}
	}
	for _, disk := range s.Disks {
		warn(disk.PercentUsed >= fullDisk, "The disk of %s (%s) is %d %% full.", disk.Path, disk.Use, disk.PercentUsed)
	}
	warn(s.Ingest.State == "degraded", "Events were refused in the last 5 minutes, because they could not be committed.")
	warn(s.Ingest.Held >= manyHeldEvents, "%d events wait in memory for the database.", s.Ingest.Held)
	warn(s.Schema.Version > s.Schema.Known,
		"A newer Errand has migrated the database to version %d, and this one knows %d: update this server.", s.Schema.Version, s.Schema.Known)
	for _, job := range s.Jobs {
		warn(job.Outcome == "failed", "The last run of the job %s failed; the log says why.", job.Name)
	}
	if oldest := s.Queue.OldestAt; !oldest.IsZero() && now.Sub(oldest.Time) > lateDelivery {
		warn(true, "A delivery to a webhook has waited for %d h: its receiver does not take it.", int(now.Sub(oldest.Time)/time.Hour))
	}
	for _, key := range s.Keys {
		warn(key.Name == "ENCRYPTION_KEYS" && !key.Set, "No key of ENCRYPTION_KEYS is valid, so no webhook with a secret can be made.")
	}
	return warnings
}
