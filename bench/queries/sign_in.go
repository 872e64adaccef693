package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"errand/bench"
	"errand/passwords"
)

const (
	benchPerson   = "bench@example.com"
	benchPassword = "a password of the bench"
	// signInsAtOnce is more than a server hashes at the same time.
	signInsAtOnce = 8
)

// measureSignIn signs a person in repeatedly, one at a time and several together. The yardstick is a hash alone, made in this
// process: nothing else should take time.
func (c *client) measureSignIn(ctx context.Context) ([]row, error) {
	if err := c.createPerson(ctx); err != nil {
		return nil, err
	}
	hasher := passwords.New(passwords.Recommended)
	var rows []row
	for _, one := range []struct {
		name, target string
		atOnce       int
		call         func(int) error
	}{
		{"a hash of a password alone", "about 50", 1, func(int) error { _, err := hasher.Hash(ctx, benchPassword); return err }},
		{"sign-in, 1 at once", "that of the hash", 1, func(int) error { return c.signIn(ctx) }},
		{"hashes alone, 8 at once", "", signInsAtOnce, func(int) error { _, err := hasher.Hash(ctx, benchPassword); return err }},
		{"sign-in, 8 at once", "that of the hashes", signInsAtOnce, func(int) error { return c.signIn(ctx) }},
	} {
		times, err := timeTogether(one.atOnce, max(c.calls/4/one.atOnce, 4), 0, one.call)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
		r := row{name: one.name, target: one.target, median: bench.TakeMedian(times), p95: times[int(0.95*float64(len(times)-1))]}
		r.printRow()
		rows = append(rows, r)
	}
	return rows, nil
}

// createPerson adds a site admin who signs in.
func (c *client) createPerson(ctx context.Context) error {
	create := exec.CommandContext(ctx, c.binary, "user", "create", "--site-admin", "--email", benchPerson, "--password-stdin")
	create.Env = append(os.Environ(), "DATABASE_URL="+c.URL)
	create.Stdin = strings.NewReader(benchPassword)
	if text, err := create.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// signIn sends the form of the sign-in page, like a browser on its first visit.
func (c *client) signIn(ctx context.Context) error {
	_, err := c.openVisitor(ctx)
	return err
}
