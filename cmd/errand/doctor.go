package main

import (
	"context"
	"os"

	"errand/app"
)

type doctorCmd struct {
	app.Config `embed:""`
	app.Doctor `embed:""`
}

func (c *doctorCmd) Run(ctx context.Context) error {
	return c.Doctor.Run(ctx, &c.Config, c.NewLog(), os.Stdout)
}
