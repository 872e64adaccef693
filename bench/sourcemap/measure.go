package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	yardstick "github.com/go-sourcemap/sourcemap"

	"errand/sourcemap"
)

// Files in the folder of the measurements.
const (
	mapFile   = "main.js.map"
	indexFile = "main.js.index"
)

const (
	stackFrames = 5
	coldStacks  = 200
	warmStacks  = 20_000

	comparedStacks = 2_000
	contextLines   = 5
	cacheBytes     = 16 << 20
)

// result is the outcome of one process.
type result struct {
	Seconds float64 // of the whole, or of one stack
	CPU     float64 // the same in processor time, which says more than the clock on a busy machine
	Peak    int64   // the process's peak memory in bytes
	Size    int64   // bytes of the index
}

// measurements by name; each returns the seconds that it took.
var measurements = map[string]func(folder string) (result, error){
	"idle": measureNothing, "json": measureJSON, "build": measureBuild, "check": measureCheck,
	"cold": measureCold, "warm": measureWarm, "yardstick": measureYardstick, "yardstick look-ups": measureYardstickLookUps,
	"agreement": compareYardstick,
}

// measurementNames is the order: build leaves the index for the later ones.
var measurementNames = []string{"idle", "json", "build", "check", "cold", "warm", "yardstick", "yardstick look-ups", "agreement"}

func measureHere(o options) error {
	measured, err := measurements[o.measure](o.folder)
	if err != nil {
		return err
	}
	if measured.Peak, err = readPeak(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(measured)
}

// readPeak returns the peak memory of this process.
func readPeak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, found := strings.Cut(string(status), "VmHWM:")
	if !found {
		return 0, errors.New("no VmHWM in /proc/self/status")
	}
	var kilobytes int64
	_, err = fmt.Sscan(after, &kilobytes)
	return kilobytes << 10, err
}

// stopwatch measures by the clock and in processor time.
type stopwatch struct {
	start time.Time
	cpu   time.Duration
}

func startWatch() stopwatch { return stopwatch{time.Now(), readCPU()} }

// stopWatch returns the time of one repetition.
func (w stopwatch) stopWatch(repetitions int) result {
	return result{
		Seconds: time.Since(w.start).Seconds() / float64(repetitions),
		CPU:     (readCPU() - w.cpu).Seconds() / float64(repetitions),
	}
}

// readCPU returns the processor time that this process has used.
func readCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measureNothing(string) (result, error) { return result{}, nil }

// measureJSON decodes the map with the standard library, into a struct of its fields.
func measureJSON(folder string) (result, error) {
	data, err := os.ReadFile(filepath.Join(folder, mapFile))
	if err != nil {
		return result{}, err
	}
	var decoded struct {
		Version                        int
		Mappings                       string
		Sources, SourcesContent, Names []string
	}
	watch := startWatch()
	err = json.Unmarshal(data, &decoded)
	return watch.stopWatch(1), err
}

func measureBuild(folder string) (result, error) {
	file, err := os.Open(filepath.Join(folder, mapFile))
	if err != nil {
		return result{}, err
	}
	watch := startWatch()
	built, err := sourcemap.BuildIndex(file)
	if err != nil {
		return result{}, err
	}
	measured := watch.stopWatch(1)
	measured.Size = built.Summary().Size
	index, err := os.Create(filepath.Join(folder, indexFile))
	if err != nil {
		return result{}, err
	}
	if _, err := built.WriteTo(index); err != nil {
		return result{}, err
	}
	return measured, index.Close()
}

func measureCheck(folder string) (result, error) {
	index, size, err := openIndexFile(folder)
	if err != nil {
		return result{}, err
	}
	watch := startWatch()
	_, err = sourcemap.CheckIndex(index, size)
	return watch.stopWatch(1), err
}

func openIndexFile(folder string) (*os.File, int64, error) {
	file, err := os.Open(filepath.Join(folder, indexFile))
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	return file, info.Size(), err
}

// measureCold opens the file for every stack, with an empty cache.
func measureCold(folder string) (result, error) {
	random := rand.New(rand.NewPCG(3, 4))
	watch := startWatch()
	for range coldStacks {
		index, size, err := openIndexFile(folder)
		if err != nil {
			return result{}, err
		}
		x, err := sourcemap.Open(index, size, sourcemap.NewCache(cacheBytes))
		if err != nil {
			return result{}, err
		}
		if err := lookUpStack(x, inventStack(random)); err != nil {
			return result{}, err
		}
		if err := index.Close(); err != nil {
			return result{}, err
		}
	}
	return watch.stopWatch(coldStacks), nil
}

// measureWarm looks a few stacks up repeatedly, as the events of some issues do.
func measureWarm(folder string) (result, error) {
	index, size, err := openIndexFile(folder)
	if err != nil {
		return result{}, err
	}
	x, err := sourcemap.Open(index, size, sourcemap.NewCache(cacheBytes))
	if err != nil {
		return result{}, err
	}
	random := rand.New(rand.NewPCG(5, 6))
	stacks := make([][stackFrames]int, 10)
	for i := range stacks {
		stacks[i] = inventStack(random)
		if err := lookUpStack(x, stacks[i]); err != nil {
			return result{}, err
		}
	}
	watch := startWatch()
	for i := range warmStacks {
		if err := lookUpStack(x, stacks[i%len(stacks)]); err != nil {
			return result{}, err
		}
	}
	return watch.stopWatch(warmStacks), nil
}

func inventStack(random *rand.Rand) (columns [stackFrames]int) {
	for i := range columns {
		columns[i] = 1 + random.IntN(lineFeedEvery)
	}
	return columns
}

// lookUpStack finds the frames of a stack, with their source lines.
func lookUpStack(x *sourcemap.Index, columns [stackFrames]int) error {
	for line, column := range columns {
		p, found, err := x.LookUp(line+1, column)
		if err != nil || !found {
			return errors.Join(err, fmt.Errorf("nothing at line %d, column %d", line+1, column))
		}
		if _, found, err := x.CutContext(&p, contextLines); err != nil || !found {
			return errors.Join(err, fmt.Errorf("no context of line %d, column %d", line+1, column))
		}
	}
	return nil
}

func parseYardstick(folder string) (*yardstick.Consumer, result, error) {
	file, err := os.Open(filepath.Join(folder, mapFile))
	if err != nil {
		return nil, result{}, err
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, result{}, err
	}
	watch := startWatch()
	consumer, err := yardstick.Parse("", data)
	return consumer, watch.stopWatch(1), err
}

func measureYardstick(folder string) (result, error) {
	_, measured, err := parseYardstick(folder)
	return measured, err
}

// measureYardstickLookUps leaves the source lines out: the yardstick has only whole contents.
func measureYardstickLookUps(folder string) (result, error) {
	consumer, _, err := parseYardstick(folder)
	if err != nil {
		return result{}, err
	}
	random := rand.New(rand.NewPCG(5, 6))
	stack := inventStack(random)
	watch := startWatch()
	for range warmStacks {
		for line, column := range stack {
			if _, _, _, _, ok := consumer.Source(line+1, column-1); !ok {
				return result{}, errors.New("the yardstick finds nothing")
			}
		}
	}
	return watch.stopWatch(warmStacks), nil
}

// compareYardstick fails when the yardstick finds something else.
func compareYardstick(folder string) (result, error) {
	consumer, _, err := parseYardstick(folder)
	if err != nil {
		return result{}, err
	}
	index, size, err := openIndexFile(folder)
	if err != nil {
		return result{}, err
	}
	x, err := sourcemap.Open(index, size, sourcemap.NewCache(cacheBytes))
	if err != nil {
		return result{}, err
	}
	random := rand.New(rand.NewPCG(7, 8))
	for range comparedStacks {
		for line, column := range inventStack(random) {
			source, name, atLine, atColumn, ok := consumer.Source(line+1, column-1)
			p, found, err := x.LookUp(line+1, column)
			if err != nil || ok != found || p.Source != source || p.Name != name || p.Line != atLine || p.Column-1 != atColumn {
				return result{}, errors.Join(err, fmt.Errorf("line %d, column %d: %+v, and in the yardstick %s %d:%d %s",
					line+1, column, p, source, atLine, atColumn, name))
			}
		}
	}
	return result{}, nil
}
