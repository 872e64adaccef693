package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"errand/core"
)

// ShownSetting is a setting of the installation for people.
type ShownSetting struct {
	Name, Value, SetBy, SetAt string
}

// ListSettings returns the settings of the installation: `errand settings`. It works beside a running server too.
func ListSettings(ctx context.Context, c *Config, log *slog.Logger) (shown []ShownSetting, err error) {
	err = atConsole(ctx, c, log, func(o console) error {
		rows, err := o.db.LoadSettings(ctx)
		if err != nil {
			return err
		}
		known := byName(rows)
		for _, setting := range core.InstallationSettings() {
			row := known[setting.Name]
			s := ShownSetting{Name: setting.Name, SetBy: row.SetBy}
			if !row.SetAt.IsZero() {
				s.SetAt = row.SetAt.UTC().Format(core.TimeLayout)
			}
			switch {
			case row.Value != nil:
				s.Value = *row.Value
			case setting.Default == "":
				s.Value = "http:// and each server's ADDR (default)"
			default:
				s.Value = setting.Default + " (default)"
			}
			if row.Value == nil && row.SetBy != "" {
				s.SetBy = "unset by " + row.SetBy
			}
			shown = append(shown, s)
		}
		return nil
	})
	return shown, err
}

// PrintSettings writes them as a table.
func PrintSettings(w io.Writer, shown []ShownSetting) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "SETTING\tVALUE\tSET BY\tSET AT")
	for _, s := range shown {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Name, s.Value, s.SetBy, s.SetAt)
	}
	return table.Flush()
}

// UnsetSetting has the default of a setting hold again on every server: `errand settings unset`. Its name is that of the
// variable, in any case.
func UnsetSetting(ctx context.Context, c *Config, name, version string, log *slog.Logger) error {
	name = strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	var names []string
	for _, setting := range core.InstallationSettings() {
		if names = append(names, setting.Name); setting.Name != name {
			continue
		}
		return atConsole(ctx, c, log, func(o console) error {
			_, err := o.db.SaveSettings(ctx, map[string]*string{name: nil}, whoami("errand settings", version))
			return err
		})
	}
	return fmt.Errorf("%q is not a setting of the installation: these are %s", name, strings.Join(names, ", "))
}
