// Command interop runs bin/errand against the clients of MCP that people use, or against the official conformance suite, and prints a
// table: go run ./e2e/interop clients, or conformance. It exits with 1 when one fails. It installs what it needs into .cache/interop.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// errNotHad is the reason for a client that was not tried: it could not be installed here.
var errNotHad = errors.New("could not be had")

// row is a line of the table.
type row struct {
	name string
	says string
	err  error
}

func main() {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt)
	defer end()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		end()
		os.Exit(1) //nolint:gocritic // deferred calls are done
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 || args[0] != "clients" && args[0] != "conformance" {
		return errors.New("which? clients or conformance")
	}
	cache, err := filepath.Abs(".cache/interop")
	if err != nil {
		return err
	}
	tools, err := newToolbox(ctx, cache)
	if err != nil {
		return err
	}
	s, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	if args[0] == "conformance" {
		return runConformance(ctx, tools, s)
	}
	return runClients(ctx, tools, s)
}

// printRow prints a line of the table.
func printRow(r row) {
	verdict := "ok"
	switch {
	case errors.Is(r.err, errNotHad):
		verdict = "NOT TRIED"
	case r.err != nil:
		verdict = "FAILED"
	}
	if r.err != nil {
		r.says = r.err.Error()
	}
	fmt.Printf("%-10s %-58s %s\n", verdict, r.name, r.says)
}

// summarize counts the rows. A client that could not be installed is mentioned, but is not Errand's failure.
func summarize(rows []row) error {
	failed, notHad := 0, 0
	for _, r := range rows {
		switch {
		case errors.Is(r.err, errNotHad):
			notHad++
		case r.err != nil:
			failed++
		}
	}
	fmt.Printf("\n%d of %d work, %d failed, %d could not be had\n", len(rows)-failed-notHad, len(rows), failed, notHad)
	switch {
	case failed > 0:
		return fmt.Errorf("%d failed", failed)
	case notHad == len(rows):
		return errors.New("nothing could be tried")
	}
	return nil
}
