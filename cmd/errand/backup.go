package main

import (
	"context"
	"os"

	"errand/app"
)

type backupCmd struct {
	app.Config `embed:""`
	app.Backup `embed:""`
}

func (c *backupCmd) Run(ctx context.Context) error {
	return c.Backup.Run(ctx, &c.Config, version, c.NewLog(), os.Stdout, os.Stderr)
}

type restoreCmd struct {
	app.Config  `embed:""`
	app.Restore `embed:""`
}

func (c *restoreCmd) Run(ctx context.Context) error {
	return c.Restore.Run(ctx, &c.Config, c.NewLog(), os.Stdout, os.Stderr)
}
