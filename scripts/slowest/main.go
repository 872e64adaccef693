// Command slowest shows a run of tests as go test does, and ends with a table of the tests that took longest.
// Pipe the tests into it: go test -json ./e2e/ | go run ./scripts/slowest
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// tableLength is the number of tests in the table.
const tableLength = 10

func main() {
	all := flag.Bool("v", false, "show what tests print that pass, too, like go test -v")
	flag.Parse()
	r := report{out: os.Stdout, all: *all, printed: map[string]string{}}
	if err := errors.Join(r.readEvents(os.Stdin), r.writeTable()); err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
		os.Exit(1)
	}
}

// event is a line of go test -json.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

// report is what is known of a run.
type report struct {
	out     io.Writer
	all     bool
	printed map[string]string // what the running tests have printed so far, by package and test
	ended   []event
}

// readEvents shows each event at once, and what a test prints when it has failed.
func (r *report) readEvents(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) != nil { // of the go command itself
			e = event{Action: "build-output", Output: line}
		}
		if writeErr := r.addEvent(e); writeErr != nil {
			return writeErr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) addEvent(e event) error {
	id := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		return r.write(e.Output)
	case "output":
		isNotice := strings.HasPrefix(e.Output, "=== ") || e.Output == "PASS\n"
		switch {
		case isNotice:
			return nil
		case e.Test == "" || r.all:
			return r.write(e.Output)
		}
		r.printed[id] += e.Output
	case "pass", "skip":
		delete(r.printed, id)
		r.ended = append(r.ended, e)
	case "fail":
		r.ended = append(r.ended, e)
		if e.Test == "" {
			return r.writeUnfinished(id)
		}
		text := r.printed[id]
		delete(r.printed, id)
		return r.write(text)
	}
	return nil
}

// writeUnfinished shows what the tests of a package printed that did not end: the reason why it ended may be in there.
func (r *report) writeUnfinished(prefix string) error {
	var text strings.Builder
	for id, printed := range r.printed {
		if strings.HasPrefix(id, prefix) {
			text.WriteString(printed)
			delete(r.printed, id)
		}
	}
	return r.write(text.String())
}

// writeTable shows the tests that took longest. Their parts count for them.
func (r *report) writeTable() error {
	tests := slices.DeleteFunc(r.ended, func(e event) bool { return e.Test == "" || strings.Contains(e.Test, "/") || e.Elapsed == 0 })
	slices.SortStableFunc(tests, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	if len(tests) == 0 {
		return nil
	}
	text := "\nthe slowest tests, in seconds\n"
	for _, e := range tests[:min(len(tests), tableLength)] {
		text += fmt.Sprintf("%7.1f  %s\n", e.Elapsed, e.Test)
	}
	return r.write(text)
}

func (r *report) write(text string) error {
	_, err := io.WriteString(r.out, text)
	return err
}
