package main

import (
	"cmp"
	"slices"

	"github.com/alecthomas/kong"

	"errand/app"
)

// commandSettings are the settings of a server that matter to other commands too.
var commandSettings = []string{"DATA_DIR", "DATABASE_URL", "LOG_LEVEL", "LOG_FORMAT"}

// arrangeFlags puts each command's own flags first in its help. Only the help of serve and errand settings list the
// settings of a server; the other commands accept them too. It also gives the flags their texts.
func arrangeFlags(parser *kong.Kong) {
	variables := app.ListVariables()
	isSetting := func(f *kong.Flag) bool {
		return slices.ContainsFunc(f.Envs, func(env string) bool { return slices.Contains(variables, env) })
	}
	for _, leaf := range parser.Model.Leaves(false) {
		slices.SortStableFunc(leaf.Flags, func(a, b *kong.Flag) int {
			switch {
			case isSetting(a) == isSetting(b):
				return 0
			case isSetting(a):
				return 1
			default:
				return -1
			}
		})
		for _, f := range leaf.Flags {
			if len(f.Envs) > 0 {
				f.Help = cmp.Or(app.FlagHelp(f.Envs[0]), f.Help)
			}
			isShown := slices.ContainsFunc(f.Envs, func(env string) bool { return slices.Contains(commandSettings, env) })
			f.Hidden = f.Hidden || leaf.Name != "serve" && isSetting(f) && !isShown
		}
	}
}
