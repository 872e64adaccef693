package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"errand/core"
)

// ShownSetting is a setting of the installation as people see it.
type ShownSetting struct {
	Name, Value, SetBy, SetAt string
}

// ListSettings returns the settings of the installation: `errand settings`. It also works beside a running server.
func ListSettings(ctx context.Context, c *Config, log *slog.Logger) ([]ShownSetting, error) {
	return askConsole(ctx, c, log, func(o console) ([]ShownSetting, error) {
		return o.showSettings(ctx)
	})
}

func (o console) showSettings(ctx context.Context) (shown []ShownSetting, err error) {
	list, err := o.db.ListSettings(ctx)
	for i := range list {
		shown = append(shown, showSetting(&list[i]))
	}
	return shown, err
}

func showSetting(setting *core.SettingState) ShownSetting {
	shown := ShownSetting{Name: setting.Name, Value: setting.Value, SetBy: string(setting.SetBy)}
	if !setting.SetAt.IsZero() {
		shown.SetAt = setting.SetAt.UTC().Format(core.TimeLayout)
	}
	if setting.Default {
		shown.Value = cmp.Or(shown.Value, "http:// and each server's ADDR") + " (default)"
		if shown.SetBy != "" {
			shown.SetBy = "unset by " + shown.SetBy
		}
	}
	return shown
}

// PrintSettings writes the settings as a table.
func PrintSettings(w io.Writer, shown []ShownSetting) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "SETTING\tVALUE\tSET BY\tSET AT")
	for _, s := range shown {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Name, s.Value, s.SetBy, s.SetAt)
	}
	return table.Flush()
}

// UnsetSetting returns a setting to its default on every server, and returns the value that then applies: `errand
// settings unset`. The name is the variable's, in any case.
func UnsetSetting(ctx context.Context, c *Config, name, version string, log *slog.Logger) (now ShownSetting, err error) {
	name = strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	names := settingNames()
	at := slices.Index(names, name)
	if at < 0 {
		return now, fmt.Errorf("%q is not a setting of the installation: these are %s", name, strings.Join(names, ", "))
	}
	err = atConsole(ctx, c, log, func(o console) error {
		if _, err := o.db.SaveSettings(ctx, map[string]*string{name: nil}, nameProcess("errand settings", version)); err != nil {
			return err
		}
		shown, err := o.showSettings(ctx)
		if err == nil {
			now = shown[at]
		}
		return err
	})
	return now, err
}

func settingNames() (names []string) {
	for _, setting := range core.InstallationSettings() {
		names = append(names, setting.Name)
	}
	return names
}
