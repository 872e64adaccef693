package web

import (
	"fmt"
	"strings"
)

// The measures of charts, in units of their own: a chart fills its box.
const (
	barWidth    = 7
	barStep     = 9
	sparkHeight = 26
	chartHeight = 64
)

// bars are counts as a chart; the last count is of the hour or day that still runs. The component "spark" is for a row of a list.
// "chart" has marks, and a table for readers of the screen.
type bars struct {
	Label         string // for readers of the screen
	Path, Now     string // of the SVG: all bars but the last, and the last
	Width, Height int
	From, To      string // below the ends
	Marks         []barMark
	MarksAre      string // what the marks are: deploys
	Rows          []barRow
}

// barMark is a line across a chart.
type barMark struct {
	X    int
	Text string
}

// barRow is a line of the table.
type barRow struct {
	Name  string
	Count int64
}

// newSpark makes the bars of the events of the last hours, oldest first.
func newSpark(hours []int64) bars {
	var total, most int64
	for _, n := range hours {
		total += n
		most = max(most, n)
	}
	label := fmt.Sprintf("%s in %d hours", writePlural(total, "event", "events"), len(hours))
	if most > 1 {
		label += fmt.Sprintf(", at most %s in one", writeCount(most))
	}
	return drawBars(bars{Label: label, Height: sparkHeight}, hours)
}

// newChart makes the bars of counts with a table of them; names are what the counts are of, as Nov 19.
func newChart(label string, names []string, counts []int64) bars {
	b := bars{Label: label, Height: chartHeight}
	for i, n := range counts {
		b.Rows = append(b.Rows, barRow{names[i], n})
	}
	if len(names) > 0 {
		b.From, b.To = names[0], names[len(names)-1]
	}
	return drawBars(b, counts)
}

// mark adds a line at the beginning of a bar, moved by a part of its width from 0 to 1.
func (b *bars) mark(bar int, part float64, text string) {
	b.Marks = append(b.Marks, barMark{bar*barStep + int(part*barStep), text})
}

// drawBars draws the counts, the most as high as the chart. None is a line at the bottom.
func drawBars(b bars, counts []int64) bars {
	most := int64(1)
	for _, n := range counts {
		most = max(most, n)
	}
	b.Width = max(1, len(counts)*barStep-(barStep-barWidth))
	var path strings.Builder
	for i, n := range counts {
		height := max(1, n*int64(b.Height-3)/most)
		bar := fmt.Sprintf("M%d %dv-%dh%dv%dz", i*barStep, b.Height, height, barWidth, height)
		if i == len(counts)-1 {
			b.Now = bar
			continue
		}
		path.WriteString(bar)
	}
	b.Path = path.String()
	return b
}
