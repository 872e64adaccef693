package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"
	"time"

	"errand/core"
	"errand/store"
)

// Distribute is the command that distributes the tables over the nodes of Citus: `errand db distribute`.
type Distribute struct {
	Plan   bool `help:"Only print what would become of each table."`
	Shards int  `default:"0" help:"How many shards hold the projects; 0 for four on each node. Each node needs one."`
}

const (
	mostShards    = 64000 // a bound of Citus
	shardsPerNode = 4
)

// Run prints each table when it is done. It may be cut off anywhere, and goes on where it was.
func (d *Distribute) Run(ctx context.Context, c *Config, log *slog.Logger, out io.Writer) error {
	if d.Shards < 0 || d.Shards > mostShards {
		return fmt.Errorf("--shards: %d is not between 0 and %d", d.Shards, mostShards)
	}
	return atConsole(ctx, c, log, func(o console) error {
		steps, nodes, err := o.db.PlanDistribution(ctx)
		if err != nil {
			return err
		}
		if 0 < d.Shards && d.Shards < nodes {
			return fmt.Errorf("--shards: %d shards are too few for %d nodes", d.Shards, nodes)
		}
		shards := cmp.Or(d.Shards, shardsPerNode*max(nodes, 1))
		if d.Plan {
			return printPlan(out, steps, nodes, shards)
		}
		left, start, done := countLeft(steps), time.Now(), 0
		err = o.db.DistributeTables(ctx, shards, func(step store.DistributionStep) {
			done++
			_, _ = fmt.Fprintf(out, "%d/%d %s: %s, about %d rows\n", done, left, step.Table, step.Placement, step.Rows)
		})
		if err != nil {
			return errors.Join(err, errors.New("run the command again to go on"))
		}
		if left == 0 {
			_, err := fmt.Fprintln(out, "The tables are distributed already.")
			return err
		}
		_, err = fmt.Fprintf(out, "The tables are distributed over %d nodes. It took %s. Start the servers now.\n",
			nodes, time.Since(start).Round(time.Second))
		return err
	})
}

func countLeft(steps []store.DistributionStep) (left int) {
	for _, step := range steps {
		if !step.IsDone {
			left++
		}
	}
	return left
}

func printPlan(out io.Writer, steps []store.DistributionStep, nodes, shards int) error {
	if _, err := fmt.Fprintf(out, "%d nodes hold rows of projects, in %d shards.\n\n", nodes, shards); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "TABLE\tPLACEMENT\tROWS\tSTATE")
	for _, step := range steps {
		state := "to do"
		if step.IsDone {
			state = "done"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", step.Table, step.Placement, step.Rows, state)
	}
	return table.Flush()
}

// RebalanceShards moves shards until all nodes hold about as much: `errand db rebalance`.
func RebalanceShards(ctx context.Context, c *Config, log *slog.Logger, out io.Writer) error {
	return atConsole(ctx, c, log, func(o console) error {
		if _, _, err := o.db.PlanDistribution(ctx); err != nil {
			return err
		}
		err := o.db.RebalanceShards(ctx, func(p store.RebalanceProgress) {
			_, _ = fmt.Fprintf(out, "%d of %d parts of tables moved, %s in all\n", p.Done, p.AllMoves, core.WriteBytes(p.Bytes))
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, "The nodes hold about as much now.")
		return err
	})
}
