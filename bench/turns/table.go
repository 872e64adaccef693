package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"errand/bench"
)

// number is one measured number.
type number struct {
	name         string
	value        float64
	moreIsBetter bool
}

// String returns the number for the progress of the run.
func (n number) String() string { return fmt.Sprintf("%s %.4g", n.name, n.value) }

// row has a number of all pairs.
type row struct {
	scenario string
	number   number // its name
	old, new []float64
}

type table struct {
	old  string
	rows []*row
}

func (t *table) addPair(scenario string, measured [2][]number) {
	for i, before := range measured[0] {
		at := slices.IndexFunc(t.rows, func(r *row) bool { return r.scenario == scenario && r.number.name == before.name })
		if at < 0 {
			at, t.rows = len(t.rows), append(t.rows, &row{scenario: scenario, number: before})
		}
		r := t.rows[at]
		r.old, r.new = append(r.old, before.value), append(r.new, measured[1][i].value)
	}
}

// addSizes adds the sizes of the binaries.
func (t *table) addSizes(binaries [2]string) error {
	var measured [2][]number
	for i, binary := range binaries {
		info, err := os.Stat(binary)
		if err != nil {
			return err
		}
		measured[i] = []number{{"MB", float64(info.Size()) / 1e6, false}}
	}
	t.addPair("binary", measured)
	return nil
}

// format returns the table. A ratio is new to old.
func (t *table) format() string {
	var page strings.Builder
	fmt.Fprintf(&page, "On %s. Ratios are new to %s: the median of the pairs, and the lowest and the highest.\n\n",
		bench.DescribeMachine(), t.old)
	fmt.Fprintln(&page, "| scenario | number | better | old | new | ratio | spread | pairs |\n|---|---|---|---|---|---|---|---|")
	for _, r := range t.rows {
		ratios := make([]float64, len(r.old))
		for i := range r.old {
			ratios[i] = r.new[i] / r.old[i]
		}
		better := "lower"
		if r.number.moreIsBetter {
			better = "higher"
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %.4g | %.4g | %.2f | %.2f-%.2f | %d |\n", r.scenario, r.number.name, better,
			bench.TakeMedian(r.old), bench.TakeMedian(r.new), bench.TakeMedian(ratios), slices.Min(ratios), slices.Max(ratios), len(ratios))
	}
	return page.String()
}
