package embedded

import (
	"maps"
	"slices"
)

// defaultSettings suit a small machine that runs Errand beside other things.
var defaultSettings = map[string]string{
	"max_connections":      "64",
	"shared_buffers":       "128MB",
	"max_wal_size":         "1GB",
	"wal_compression":      "on",
	"random_page_cost":     "1.1", // solid state disks
	"effective_cache_size": "1GB",
	// Errand's statements are short: helpers and compilation cost more than they gain.
	"jit":                              "off",
	"max_parallel_workers_per_gather":  "0",
	"max_parallel_maintenance_workers": "0", // needs shared memory that containers lack
	"log_destination":                  "stderr",
	"logging_collector":                "off",
}

// settingArgs returns the command line that sets the defaults, then extra, then what keeps the
// server private. Postgres takes the last of several values.
func settingArgs(extra map[string]string, socketPath string) []string {
	merged := maps.Clone(defaultSettings)
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
