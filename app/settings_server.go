package app

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"text/tabwriter"

	"errand/core"
	"errand/wire"
)

// PrintServerSettings writes the settings of a server as a table, from the flags and the environment of this command. It shows no secret.
func (c *Config) PrintServerSettings(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "\nSETTING OF A SERVER\tHERE\tDEFAULT")
	ofInstallation := settingNames()
	var printFields func(reflect.Value)
	printFields = func(settings reflect.Value) {
		for i := range settings.NumField() {
			field := settings.Type().Field(i)
			name := field.Tag.Get("env")
			switch {
			case name == "" && field.Anonymous:
				printFields(settings.Field(i))
			case name != "" && !slices.Contains(ofInstallation, name):
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", name, showField(settings.Field(i)), cmp.Or(field.Tag.Get("default"), "-"))
			}
		}
	}
	printFields(reflect.ValueOf(c).Elem())
	return table.Flush()
}

// showField returns a setting without its secret; "-" for a setting that is not set.
func showField(field reflect.Value) string {
	switch value := field.Interface().(type) {
	case core.Secret:
		if value == "" {
			return "-"
		}
		return "[redacted]"
	case megabytes:
		return fmt.Sprintf("%dMB", value)
	default:
		return cmp.Or(wire.RemoveHidden(fmt.Sprint(value)), "-")
	}
}
