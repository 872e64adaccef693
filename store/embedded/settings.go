package embedded

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// DefaultMemory is the shared memory of the private Postgres in MB. It suits a small machine that runs
// Errand beside other things: server and Postgres together stay below 200 MB, pg_wal below 256 MB, and
// recovery after a crash replays at most that much.
const DefaultMemory = 64

// MinMemory is the least shared memory in MB that suffices for writing a batch of events.
const MinMemory = 16

// walPerMemory is how many times larger than the shared memory pg_wal may grow. Less means more
// checkpoints, and the first change of a page after each checkpoint writes the whole page.
const walPerMemory = 3

// fixedSettings do not depend on the memory.
var fixedSettings = map[string]string{
	"max_connections": "64",
	"min_wal_size":    "32MB",
	// A checkpoint that ends sooner leaves more of max_wal_size for the time until the next one.
	"checkpoint_completion_target": "0.5",
	"random_page_cost":             "1.1", // solid state disks
	// Errand's statements are short: parallel workers and compilation cost more than they save.
	"jit":                              "off",
	"max_parallel_workers_per_gather":  "0",
	"max_parallel_maintenance_workers": "0", // needs shared memory that containers lack
	"max_logical_replication_workers":  "0", // nobody replicates: a process less
	"log_destination":                  "stderr",
	"logging_collector":                "off",
}

// settingsFor returns the server settings for the given shared memory, in MB.
func settingsFor(memory int) map[string]string {
	memory = max(cmp.Or(memory, DefaultMemory), MinMemory)
	settings := maps.Clone(fixedSettings)
	settings["shared_buffers"] = fmt.Sprintf("%dMB", memory)
	settings["max_wal_size"] = fmt.Sprintf("%dMB", walPerMemory*memory)
	settings["effective_cache_size"] = fmt.Sprintf("%dMB", max(1024, 4*memory)) // the system caches files too
	return settings
}

// settingArgs returns the command line: the settings for the memory, then extra, then those that keep
// the server private. Postgres takes the last of several values.
func settingArgs(memory int, extra map[string]string, socketPath string) []string {
	merged := settingsFor(memory)
	maps.Copy(merged, extra)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		args = append(args, "-c", name+"="+merged[name])
	}
	return append(args,
		"-c", "listen_addresses=",
		"-c", "unix_socket_directories="+socketPath,
		"-c", "unix_socket_permissions=0700",
		"-c", "port="+port,
	)
}
