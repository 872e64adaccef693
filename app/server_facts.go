package app

import (
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"errand/core"
	"errand/jobs"
	"errand/tools"
)

// processMemory is what the process remembers of itself: its start, and the last run of each job here. The queue forgets a run after
// minutes, and some jobs run once a day.
type processMemory struct {
	startedAt time.Time

	mu   sync.Mutex
	runs map[string]core.JobState
}

// noteRun remembers a run of a job that has just ended.
func (m *processMemory) noteRun(job string, took time.Duration, err error, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[string]core.JobState{}
	}
	state := m.runs[job]
	state.Name, state.LastRunAt, state.Outcome = job, core.At(now.Add(-took)), "failed"
	if err == nil {
		state.LastSuccessAt, state.Outcome = core.At(now), "ok"
	}
	m.runs[job] = state
}

func (m *processMemory) listRuns() (list []core.JobState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, state := range m.runs {
		list = append(list, state)
	}
	return list
}

// observeRun counts and remembers a run of a job (jobs.Options.Observe).
func (a *App) observeRun(job string, took time.Duration, err error) {
	a.metrics.countRun(job, took, err)
	a.memory.noteRun(job, took, err, a.db.clock.tellTime())
}

// describeServer returns what only this process knows.
func (a *App) describeServer() tools.ProcessFacts {
	return tools.ProcessFacts{
		Version: a.version, Go: runtime.Version(), StartedAt: core.At(a.memory.startedAt), IsPrivate: a.config.isPrivate(),
		Held: a.ingest.CountWaiting(), JobNames: jobs.Options{Store: a.db.Store}.Names(), Jobs: a.memory.listRuns(),
		Disks: a.config.measureDisks(), Keys: a.listKeys(),
	}
}

// measureDisks measures the disks of this machine that have data of the installation: an external Postgres and a bucket are elsewhere.
func (c *Config) measureDisks() []core.DiskState {
	var disks []core.DiskState
	add := func(use, path string) {
		var disk syscall.Statfs_t
		if syscall.Statfs(path, &disk) != nil || disk.Blocks == 0 {
			return
		}
		size := uint64(disk.Bsize) //nolint:gosec,unconvert // its type differs between systems, and it is never negative
		used := disk.Blocks - disk.Bfree
		disks = append(disks, core.DiskState{
			Use: use, Path: path, FreeBytes: int64(disk.Bavail * size), TotalBytes: int64(disk.Blocks * size), //nolint:gosec // below 8 EB
			PercentUsed: int64(used * 100 / max(used+disk.Bavail, 1)), //nolint:gosec // at most 100
		})
	}
	if c.isPrivate() {
		add("data", c.DataDir)
	}
	location, err := c.blobsLocation()
	if parsed, parseErr := url.Parse(location); err == nil && parseErr == nil && parsed.Scheme == "file" {
		add("blobs", filepath.FromSlash(parsed.Path))
	}
	return disks
}

// listKeys returns which secrets are set, without their values.
func (a *App) listKeys() []core.KeyState {
	c := a.config
	keys := []core.KeyState{
		{Name: "ADMIN_TOKEN", Set: c.AdminToken != ""},
		{Name: "DATABASE_URL", Set: c.DatabaseURL != ""},
		{Name: "ENCRYPTION_KEYS", Set: a.keys != nil && a.keys.CanSeal()},
		{Name: "NOTIFY", Set: c.Notify != ""},
		{Name: "OIDC_CLIENT_SECRET", Set: c.OIDCClientSecret != ""},
		{Name: "SCM_WEBHOOK_SECRET", Set: c.SCMWebhookSecret != ""},
		{Name: "SMTP_URL", Set: c.SMTPURL != ""},
	}
	if a.keys != nil {
		i := slices.IndexFunc(keys, func(k core.KeyState) bool { return k.Name == "ENCRYPTION_KEYS" })
		keys[i].IDs = a.keys.IDs()
	}
	return keys
}
