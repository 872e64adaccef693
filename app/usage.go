package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"

	"errand/core"
	"errand/store"
)

// Usage shows what the installation takes on disks: `errand usage`.
type Usage struct {
	JSON bool `help:"Print the numbers as JSON, in bytes."`
}

// Run prints the numbers.
func (u Usage) Run(ctx context.Context, c *Config, log *slog.Logger, out io.Writer) error {
	read, err := askConsole(ctx, c, log, func(o console) (store.Usage, error) { return o.db.ReadUsage(ctx) })
	if err != nil {
		return err
	}
	if u.JSON {
		return json.NewEncoder(out).Encode(read)
	}
	return printUsage(out, read)
}

func printUsage(out io.Writer, u store.Usage) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(table, format+"\n", args...) }
	line("database\t%s", core.WriteBytes(u.DatabaseBytes))
	if u.WALBytes != nil {
		line("WAL\t%s", core.WriteBytes(*u.WALBytes))
	} else {
		line("WAL\tnot visible: the role needs pg_monitor")
	}
	line("source maps\t%s", core.WriteBytes(u.SourceMapBytes))
	line("\nTABLE\tSIZE")
	for _, t := range u.Tables {
		line("%s\t%s", t.Name, core.WriteBytes(t.Bytes))
	}
	line("\nPROJECT\tISSUES\tSTORED\tABOUT\tIN 30 DAYS\tSOURCE MAPS")
	for _, p := range u.Projects {
		line("%s\t%d\t%d\t%s\t%d\t%s", p.Slug, p.Issues, p.StoredEvents, core.WriteBytes(p.EventBytes), p.Events30d,
			core.WriteBytes(p.SourceMapBytes))
	}
	if len(u.Projects) == 0 {
		line("none yet")
	}
	return table.Flush()
}
