// Command turns compares two commits. It builds both and runs each scenario on a fresh instance of one and of the other, in
// turns (ABBA), so that a machine that becomes slower does so for both. Each instance has its own private Postgres. It prints
// the median of each number, and the median and the spread of the ratios of the pairs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"errand/bench/load"
)

func main() {
	var o options
	flag.StringVar(&o.old, "old", "", "the commit or the built binary to compare with")
	flag.StringVar(&o.new, "new", "", "the commit or the built binary to measure; empty for the files as they are")
	flag.IntVar(&o.pairs, "pairs", 5, "how many pairs of instances each scenario has")
	seconds := flag.Int("seconds", 6, "how long each measurement sends")
	flag.StringVar(&o.only, "only", "", "measure only the scenarios whose name has one of these texts, with commas between: "+listScenarios())
	flag.Parse()
	o.length = time.Duration(*seconds) * time.Second
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "turns:", err)
		os.Exit(1)
	}
}

type options struct {
	old, new, only string
	pairs          int
	length         time.Duration
}

// wants reports whether a scenario is to be measured.
func (o options) wants(name string) bool {
	return slices.ContainsFunc(strings.Split(o.only, ","), func(text string) bool { return strings.Contains(name, text) })
}

func run(ctx context.Context, o options) error {
	if o.old == "" || o.pairs < 1 {
		return fmt.Errorf("-old must be a commit, and -pairs at least 1")
	}
	dir, err := os.MkdirTemp("", "errand-turns-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil { // the private Postgres may run as another user
		return err
	}
	var binaries [2]string
	for i, commit := range []string{o.old, o.new} {
		if binaries[i], err = build(ctx, commit, filepath.Join(dir, fmt.Sprint(i))); err != nil {
			return err
		}
	}
	templates, err := load.ReadTemplates("envelope/testdata")
	if err != nil {
		return err
	}
	t := table{old: o.old}
	if o.wants("binary") {
		if err := t.addSizes(binaries); err != nil {
			return err
		}
	}
	for _, sc := range scenarios {
		if !o.wants(sc.name) {
			continue
		}
		for pair := range o.pairs {
			if err := runPair(ctx, &t, &turn{scenario: sc, templates: templates, length: o.length}, binaries, pair); err != nil {
				return fmt.Errorf("%s: %w", sc.name, err)
			}
		}
	}
	fmt.Print(t.format())
	return nil
}

// runPair measures both binaries, every second time in the other order.
func runPair(ctx context.Context, t *table, turn *turn, binaries [2]string, pair int) error {
	var measured [2][]number
	for i := range binaries {
		which := (i + pair) % 2
		numbers, err := turn.measure(ctx, binaries[which])
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s, pair %d, %s: %v\n", turn.name, pair+1, []string{"old", "new"}[which], numbers)
		measured[which] = numbers
	}
	t.addPair(turn.name, measured)
	return nil
}

// build builds a commit's binary, as make build does, without touching the working tree. A binary that is already built stays.
func build(ctx context.Context, commit, dir string) (string, error) {
	if info, err := os.Stat(commit); err == nil && info.Mode().IsRegular() {
		return commit, nil
	}
	from, binary := ".", dir+"/errand"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if commit != "" {
		from = dir + "/tree"
		if err := runCommand(ctx, ".", "git", "worktree", "add", "--detach", "--quiet", from, commit); err != nil {
			return "", err
		}
		defer func() { _ = runCommand(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", from) }()
	}
	return binary, runCommand(ctx, from, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "./cmd/errand")
}

func runCommand(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
