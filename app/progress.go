package app

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress tells a person at the console how far long work is: in a line that changes on a terminal, else in a line from time
// to time.
type progress struct {
	w          io.Writer
	isTerminal bool
	every      time.Duration
	toldAt     time.Time
	isOpen     bool // the line is not ended yet
}

// How often progress tells something new.
const (
	tellOnTerminal = 200 * time.Millisecond
	tellInLines    = 5 * time.Second
)

func newProgress(f *os.File) *progress {
	p := &progress{w: f, isTerminal: isTerminal(f), every: tellInLines, toldAt: time.Now()}
	if p.isTerminal {
		p.every = tellOnTerminal
	}
	return p
}

// tellLine tells what is worked on, unless it told something a moment ago.
func (p *progress) tellLine(line func() string) {
	if time.Since(p.toldAt) < p.every {
		return
	}
	p.toldAt = time.Now()
	if p.isTerminal {
		p.isOpen = true
		_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s", line())
		return
	}
	_, _ = fmt.Fprintln(p.w, line())
}

// clearLine clears the line.
func (p *progress) clearLine() {
	if p.isOpen {
		p.isOpen = false
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
}
