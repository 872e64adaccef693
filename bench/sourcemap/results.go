package main

import (
	"fmt"
	"io"

	"errand/bench"
)

// report is the outcome of all measurements.
type report struct {
	options
	mappings int
	load     string
	results  map[string][]result
}

func (r *report) medianSeconds(name string) float64 {
	return r.medianOf(name, func(measured result) float64 { return measured.Seconds })
}

func (r *report) medianCPU(name string) float64 {
	return r.medianOf(name, func(measured result) float64 { return measured.CPU })
}

// medianMemory returns a measurement's peak memory beyond an idle process, in MB.
func (r *report) medianMemory(name string) float64 {
	peak := func(measured result) float64 { return float64(measured.Peak) / (1 << 20) }
	return r.medianOf(name, peak) - r.medianOf("idle", peak)
}

func (r *report) medianOf(name string, of func(result) float64) float64 {
	var list []float64
	for _, measured := range r.results[name] {
		list = append(list, of(measured))
	}
	return bench.TakeMedian(list)
}

func (r *report) printTable(w io.Writer) {
	const milli, micro = 1e3, 1e6
	fmt.Fprintf(w, "# Source maps\n\nMade by `make bench-sourcemap` on %s.\nOther work on the machine when it began: a load of %s.\n",
		bench.DescribeMachine(), r.load)
	fmt.Fprintf(w, "A generated map of %.1f MB with %d mappings and all contents; its index has %.1f MB. "+
		"Medians of %d processes each, taken\nin turns; memory is what a process had at most beyond one that does nothing. "+
		"The yardstick is github.com/go-sourcemap/sourcemap.\n\n",
		float64(r.size)/(1<<20), r.mappings, float64(r.results["build"][0].Size)/(1<<20), r.rounds)
	fmt.Fprint(w, "| what | target | by the clock | processor time | memory, MB |\n|---|---|---|---|---|\n")
	row := func(what, target, name, unit string, factor float64) {
		fmt.Fprintf(w, "| %s | %s | %.2f %s | %.2f %s | %.0f |\n",
			what, target, r.medianSeconds(name)*factor, unit, r.medianCPU(name)*factor, unit, r.medianMemory(name))
	}
	row("map to index, streamed from a file", "200 ms, 60 MB", "build", "ms", milli)
	row("the same map parsed by the yardstick", "", "yardstick", "ms", milli)
	row("the same map through encoding/json alone", "", "json", "ms", milli)
	row("check of an uploaded index", "", "check", "ms", milli)
	row(fmt.Sprintf("stack of %d frames with context lines, file opened anew, nothing cached", stackFrames), "2 ms", "cold", "ms", milli)
	row("the same, warm", "20 us", "warm", "us", micro)
	row("the same frames in the yardstick, without context lines, its map in memory", "", "yardstick look-ups", "us", micro)
	fmt.Fprintf(w, "\nAn index is made in %.2f times the time that the yardstick needs to parse (in processor time %.2f times),\n"+
		"with %.2f times its memory. Both find the same at %d random positions.\n",
		r.medianSeconds("build")/r.medianSeconds("yardstick"), r.medianCPU("build")/r.medianCPU("yardstick"),
		r.medianMemory("build")/r.medianMemory("yardstick"), comparedStacks*stackFrames)
}
