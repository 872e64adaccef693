package main

import (
	"context"
	"os"

	"errand/app"
)

type usageCmd struct {
	app.Config `embed:""`
	app.Usage  `embed:""`
}

func (c *usageCmd) Run(ctx context.Context) error {
	return c.Usage.Run(ctx, &c.Config, c.NewLog(), os.Stdout)
}
