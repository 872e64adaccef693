// Command sourcemap measures how fast a source map becomes an index, and how fast the index is
// read, beside a yardstick. Each measurement runs in a separate process, so that their memory does
// not mix.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// options are the flags.
type options struct {
	size, rounds    int
	out             string
	measure, folder string // of a child process
}

func main() {
	var o options
	flag.IntVar(&o.size, "size", 30<<20, "bytes of the map")
	flag.IntVar(&o.rounds, "rounds", 5, "times that each is measured")
	flag.StringVar(&o.out, "out", "bench/sourcemap.md", "where the results go")
	flag.StringVar(&o.measure, "measure", "", "of the processes that this one starts: what to measure")
	flag.StringVar(&o.folder, "folder", "", "of the same: where the map is")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.measure != "" {
		return measureHere(o)
	}
	folder, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	o.folder = folder
	r := report{options: o, results: map[string][]result{}, load: readLoad()}
	if r.mappings, err = writeMap(filepath.Join(folder, mapFile), o.size); err != nil {
		return err
	}
	for range o.rounds { // in turns: the machine's speed changes from minute to minute
		for _, name := range measurementNames {
			measured, err := measureApart(o, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			r.results[name] = append(r.results[name], measured)
		}
	}
	file, err := os.Create(o.out)
	if err != nil {
		return err
	}
	r.printTable(file)
	return file.Close()
}

// readLoad returns how many other processes want the machine: with many, times by the clock are
// less reliable.
func readLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	load, _, found := strings.Cut(string(text), " ")
	if err != nil || !found {
		return "unknown"
	}
	return load
}

func writeMap(path string, size int) (mappings int, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	if mappings, err = generateMap(file, size); err != nil {
		return 0, err
	}
	return mappings, file.Close()
}

// measureApart runs one measurement in a separate process.
func measureApart(o options, name string) (measured result, err error) {
	self, err := os.Executable()
	if err != nil {
		return measured, err
	}
	cmd := exec.Command(self, "-measure", name, "-folder", o.folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &measured)
	}
	return measured, err
}
