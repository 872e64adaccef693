package main

import (
	"context"
	"os"

	"errand/app"
)

type postgresCmd struct {
	Upgrade   upgradePostgresCmd   `cmd:"" help:"Bring the private Postgres of a stopped server to a newer major version."`
	RemoveOld removeOldPostgresCmd `cmd:"" help:"Delete the data that an upgrade has kept."`
}

type upgradePostgresCmd struct {
	app.Config          `embed:""`
	app.UpgradePostgres `embed:""`
}

func (c *upgradePostgresCmd) Run(ctx context.Context) error {
	return c.UpgradePostgres.Run(ctx, &c.Config, c.NewLog(), os.Stdout, os.Stderr)
}

type removeOldPostgresCmd struct {
	app.Config            `embed:""`
	app.RemoveOldPostgres `embed:""`
}

func (c *removeOldPostgresCmd) Run(ctx context.Context) error {
	return c.RemoveOldPostgres.Run(ctx, &c.Config, c.NewLog(), os.Stdout)
}
