package app

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"errand/migrations"
)

// PrintVersion says what this program is: its version, the commit, the schema that it needs, and how it was built.
func PrintVersion(w io.Writer, version string) error {
	text := fmt.Sprintf("errand %s\n", version)
	if commit := findCommit(); commit != "" {
		text += fmt.Sprintf("commit %s\n", commit)
	}
	text += fmt.Sprintf("schema %d\n%s %s/%s\n", migrations.Newest(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	_, err := io.WriteString(w, text)
	return err
}

// findCommit returns the commit that was built, its time, and whether files were changed; empty where the build does not know.
func findCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	found := map[string]string{}
	for _, setting := range info.Settings {
		found[setting.Key] = setting.Value
	}
	commit := found["vcs.revision"]
	if commit == "" {
		return ""
	}
	commit += " of " + found["vcs.time"]
	if found["vcs.modified"] == "true" {
		commit += ", with changes"
	}
	return commit
}
