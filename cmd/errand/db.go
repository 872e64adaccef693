package main

import (
	"context"
	"os"

	"errand/app"
)

type dbCmd struct {
	Distribute distributeCmd `cmd:"" help:"Distribute the tables over the nodes of Citus, while no server runs (docs/scale.md)."`
	Rebalance  rebalanceCmd  `cmd:"" help:"Move shards until all nodes of Citus hold about as much."`
}

type distributeCmd struct {
	app.Config     `embed:""`
	app.Distribute `embed:""`
}

func (c *distributeCmd) Run(ctx context.Context) error {
	return c.Distribute.Run(ctx, &c.Config, c.NewLog(), os.Stdout)
}

type rebalanceCmd struct {
	app.Config `embed:""`
}

func (c *rebalanceCmd) Run(ctx context.Context) error {
	return app.RebalanceShards(ctx, &c.Config, c.NewLog(), os.Stdout)
}
