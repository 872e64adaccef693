package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

var (
	loggedDuration  = regexp.MustCompile(`duration: ([0-9.]+) ms`)
	loggedStatement = regexp.MustCompile(`LOG:  (?:execute [^:]*|statement): `)
)

// postgresTime runs fn and returns the milliseconds that Postgres logs for all statements during it: parsing, planning and
// running. Without access to the log it returns 0.
func (c *client) postgresTime(ctx context.Context, fn func() error) (float64, error) {
	text, err := c.readLog(ctx, "log_duration", "on", "off", fn)
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, found := range loggedDuration.FindAllSubmatch(text, -1) {
		ms, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			return 0, err
		}
		total += ms
	}
	return total, nil
}

// countStatements runs fn and returns how many statements Postgres runs during it. The server's own work is among them.
func (c *client) countStatements(ctx context.Context, fn func() error) (int, error) {
	text, err := c.readLog(ctx, "log_statement", "'all'", "'none'", fn)
	return len(loggedStatement.FindAll(text, -1)), err
}

// readLog runs fn while a setting of Postgres is on, and returns what Postgres has logged; nothing without access to the log.
func (c *client) readLog(ctx context.Context, setting, on, off string, fn func() error) ([]byte, error) {
	path := filepath.Join(c.Dir, "postgres.log")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, fn()
	}
	change := func(value string) error {
		if _, err := c.DB.Exec(ctx, fmt.Sprintf("ALTER SYSTEM SET %s = %s", setting, value)); err != nil {
			return err
		}
		_, err := c.DB.Exec(ctx, "SELECT pg_reload_conf(), pg_sleep(0.2)") // until all have read it
		return err
	}
	if err := change(on); err != nil {
		return nil, err
	}
	before, err := os.ReadFile(path)
	if err == nil {
		err = fn()
	}
	after, readErr := os.ReadFile(path)
	return after[min(len(before), len(after)):], errors.Join(err, readErr, change(off))
}
