package embedded

import (
	"fmt"
	"maps"
	"slices"
)

// MinMemory is the least shared memory in MB that suffices for writing a batch of events.
const MinMemory = 16

// pg_wal may grow to minWAL in MB, and to walPerMemory times the shared memory. Less means more checkpoints, and the first change of a
// page after each checkpoint writes the whole page. Recovery after a crash replays at most that much.
const (
	minWAL       = 192
	walPerMemory = 3
)

// roomForOthers is how many connections commands such as errand backup may make beside the server.
const roomForOthers = 20

// fixedSettings do not depend on Options.
var fixedSettings = map[string]string{
	"min_wal_size": "32MB",
	// A checkpoint that ends sooner leaves more of max_wal_size for the time until the next one.
	"checkpoint_completion_target": "0.5",
	"random_page_cost":             "1.1", // solid state disks
	// Errand's statements are short: parallel workers and compilation cost more than they save.
	"jit":                              "off",
	"max_parallel_workers_per_gather":  "0",
	"max_parallel_maintenance_workers": "0",  // needs shared memory that containers lack
	"max_logical_replication_workers":  "0",  // nobody replicates: a process less
	"max_pred_locks_per_transaction":   "10", // no transaction is serializable
	"log_destination":                  "stderr",
	"logging_collector":                "off",
}

// sizeServer returns the settings for the memory and the connections.
func (o Options) sizeServer() map[string]string {
	memory := max(o.Memory, MinMemory)
	settings := maps.Clone(fixedSettings)
	settings["shared_buffers"] = fmt.Sprintf("%dMB", memory)
	settings["max_wal_size"] = fmt.Sprintf("%dMB", max(minWAL, walPerMemory*memory))
	settings["effective_cache_size"] = fmt.Sprintf("%dMB", max(1024, 4*memory)) // the system caches files too
	settings["max_connections"] = fmt.Sprint(o.Connections + roomForOthers)
	return settings
}

// settingArgs returns the command line. Postgres takes the last of several values: o.Settings may change what sizeServer says, and
// nothing changes what keeps the server private.
func (o Options) settingArgs(socketPath string) []string {
	merged := o.sizeServer()
	maps.Copy(merged, o.Settings)
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
