package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// suite is the official conformance suite, pinned, since another version has other scenarios.
const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12"

const scenarioAtMost = 2 * time.Minute

// scenarioList is scenarios.txt.
type scenarioList struct {
	runs    [][2]string         // version of the protocol and name
	without map[string][]string // checks that do not apply, by version and name
	known   map[string]bool     // names that are run or left out
}

func readScenarios(file string) (scenarioList, error) {
	text, err := os.ReadFile(file)
	list := scenarioList{without: map[string][]string{}, known: map[string]bool{}}
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		switch {
		case parts[0] == "run" && len(parts) == 3:
			list.runs = append(list.runs, [2]string{parts[1], parts[2]})
			list.known[parts[2]] = true
		case parts[0] == "without" && len(parts) == 5:
			key := parts[1] + " " + parts[2]
			list.without[key] = append(list.without[key], parts[3])
		case parts[0] == "left out" && len(parts) == 3:
			list.known[parts[1]] = true
		case parts[0] != "" && !strings.HasPrefix(parts[0], "#"):
			err = errors.Join(err, fmt.Errorf("%s: what is %q?", file, line))
		}
	}
	return list, err
}

// listedScenario finds the scenarios in the suite's list.
var listedScenario = regexp.MustCompile(`(?m)^\s+- (\S+)`)

// These find the failed checks in the coloured output of the suite.
var (
	failedCheck = regexp.MustCompile(`\[([a-z0-9-]+) *\] FAILURE`)
	counts      = regexp.MustCompile(`Passed: (\d+)/(\d+), (\d+) failed`)
	colours     = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

func runConformance(ctx context.Context, tools *toolbox, s *server) error {
	list, err := readScenarios("e2e/interop/scenarios.txt")
	if err != nil {
		return err
	}
	dir, err := tools.installNPM(ctx, suite)
	if err != nil {
		return err
	}
	command := filepath.Join(dir, "node_modules", ".bin", "conformance")
	listed, err := tools.runCommand(ctx, nil, command, "list", "--server")
	if err != nil {
		return err
	}
	for _, match := range listedScenario.FindAllStringSubmatch(listed, -1) {
		if !list.known[match[1]] {
			return fmt.Errorf("the scenario %s is neither run nor left out in scenarios.txt", match[1])
		}
	}
	var rows []row
	for _, run := range list.runs {
		r := runScenario(ctx, tools, command, s.openURL+"/mcp", run, list.without[run[0]+" "+run[1]])
		printRow(r)
		rows = append(rows, r)
	}
	return summarize(rows)
}

// runScenario runs a scenario at a version of the protocol. A scenario without any check does not count as passed.
func runScenario(ctx context.Context, tools *toolbox, command, url string, run [2]string, without []string) row {
	ctx, cancel := context.WithTimeout(ctx, scenarioAtMost)
	defer cancel()
	r := row{name: run[0] + " " + run[1]}
	says, err := tools.runCommand(ctx, nil, command, "server", "--url", url, "--spec-version", run[0], "--scenario", run[1])
	says = colours.ReplaceAllString(says, "")
	counted := counts.FindAllStringSubmatch(says, -1)
	if counted == nil {
		r.err = fmt.Errorf("it did not run: %w", errors.Join(err, ctx.Err()))
		return r
	}
	last := counted[len(counted)-1]
	r.says = fmt.Sprintf("%s of %s checks, %d not applicable", last[1], last[2], len(without))
	var failed []string
	for _, match := range failedCheck.FindAllStringSubmatch(says, -1) {
		if !slices.Contains(without, match[1]) && !slices.Contains(failed, match[1]) {
			failed = append(failed, match[1])
		}
	}
	switch {
	case last[2] == "0":
		r.err = errors.New("nothing was checked")
	case failed != nil:
		r.err = errors.New(strings.Join(failed, ", "))
	case err != nil && len(without) == 0:
		r.err = err
	}
	return r
}
