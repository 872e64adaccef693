package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
)

// makers are the commands that may make an installation.
var makers = []string{"serve", "migrate", "restore"}

// ofFolder are the commands that work on the data folder, and with no DATABASE_URL.
var ofFolder = []string{"postgres upgrade", "postgres remove-old"}

// neededArgs are arguments that a command requires before it looks for an installation.
var neededArgs = map[string]string{
	"backup":              "no-such-folder/file",
	"settings unset":      "SIMILAR",
	"token create":        "--name=x --scope=admin",
	"api-key create":      "--name=x --permission=apps:read",
	"api-key revoke":      "1",
	"user create":         "--email=ann@example.com",
	"user reset-password": "ann@example.com",
	"user disable":        "ann@example.com",
	"user enable":         "ann@example.com",
}

// databaseCommands returns the command line of each command that works on the database, except for the makers.
func databaseCommands(t *testing.T) (lines []string) {
	t.Helper()
	parser := kong.Must(newCommands(nil), kong.Name("errand"), longHelp, kong.Vars(app.HelpVariables()))
	for _, leaf := range parser.Model.Leaves(true) {
		_, isConfigured := leaf.Target.Addr().Interface().(interface{ Configuration() *app.Config })
		name := strings.TrimPrefix(leaf.Path(), "errand ")
		name = strings.TrimSpace(strings.SplitN(name, "<", 2)[0])
		isMaker := slices.Contains(makers, name)
		if isConfigured && !isMaker {
			lines = append(lines, name+" "+neededArgs[name])
		}
	}
	require.Greater(t, len(lines), len(neededArgs))
	return lines
}

func TestEveryFlagHasAText(t *testing.T) {
	t.Parallel()
	parser := kong.Must(newCommands(nil), kong.Name("errand"), longHelp, kong.Vars(app.HelpVariables()))
	arrangeFlags(parser)
	for _, leaf := range parser.Model.Leaves(false) {
		for _, f := range leaf.Flags {
			require.NotEmpty(t, f.Help, "%s --%s: settings of a server have theirs in app/config_help.go", leaf.Name, f.Name)
			require.NotContains(t, f.Help, "${", "%s --%s", leaf.Name, f.Name)
		}
	}
}

// TestCommandsMakeNoInstallation runs each command with a mistyped DATA_DIR, without one, and on an empty database.
func TestCommandsMakeNoInstallation(t *testing.T) {
	t.Parallel()
	empty := storetest.NewEmptyURL(t)
	for _, line := range databaseCommands(t) {
		home := t.TempDir()
		typo := filepath.Join(home, "mistyped")
		byDefault := filepath.Join(home, "data", "errand")
		if os.Geteuid() == 0 {
			byDefault = "/var/lib/errand"
		}
		for _, c := range []struct {
			set   string
			names []string
		}{
			{"DATA_DIR=" + typo, []string{"the folder " + typo, "DATA_DIR", "DATABASE_URL"}},
			{"DATA_DIR=", []string{"the folder " + byDefault, "DATA_DIR", "DATABASE_URL"}},
			{"DATABASE_URL=" + empty, []string{"has no tables of Errand's", "errand migrate", "DATABASE_URL"}},
		} {
			if c.set == "DATA_DIR=" && exists(byDefault) {
				continue // this machine has an installation
			}
			if strings.HasPrefix(c.set, "DATABASE_URL=") && slices.Contains(ofFolder, strings.TrimSpace(line)) {
				c.names = []string{"DATABASE_URL", "private Postgres"}
			}
			env := []string{"DATA_DIR=", "DATABASE_URL=", "HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, "data"),
				"XDG_STATE_HOME=" + filepath.Join(home, "state"), c.set}
			done := runErrand(t, env, strings.Fields(line)...)
			require.Equal(t, 1, done.code, "%s %s: %s", c.set, line, done.errors)
			require.Empty(t, done.out, line)
			for _, name := range c.names {
				require.Contains(t, done.errors, name, line)
			}
			require.NoFileExists(t, typo)
			require.False(t, exists(byDefault), line)
		}
	}
	conn := storetest.ConnectTo(t, empty)
	var tables int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&tables))
	require.Zero(t, tables)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestCommandsFindTheRunningServer omits DATA_DIR beside a server with another one, and beside the entry of a killed server.
func TestCommandsFindTheRunningServer(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "errand-running-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	require.NoError(t, os.Chmod(home, 0o755)) // Postgres may run as another user
	dir := filepath.Join(home, "elsewhere")
	env := []string{"DATABASE_URL=", "HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state")}
	ask := func(set string, args ...string) ended { return runErrand(t, append(env, set), args...) }

	server := exec.CommandContext(t.Context(), os.Args[0], "serve", "--addr=127.0.0.1:0", "--data-dir="+dir) //nolint:gosec // this binary
	server.Env = append(os.Environ(), append(env, asErrand+"=yes")...)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "ready at")

	made := ask("DATA_DIR=", "token", "create", "--name=fixer", "--scope=issues:read")
	require.Zero(t, made.code, made.errors)
	require.Zero(t, ask("DATA_DIR="+dir, "token", "create", "--name=fixer", "--scope=issues:read").code)
	mistyped := ask("DATA_DIR="+dir+"2", "user", "list")
	require.Equal(t, 1, mistyped.code)
	require.Contains(t, mistyped.errors, "DATA_DIR "+dir+"\n", "it names the server that runs")

	require.NoError(t, server.Process.Kill())
	_ = server.Wait()
	entries, err := filepath.Glob(filepath.Join(home, "state", "errand", "servers", "*.json"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	gone := ask("DATA_DIR="+dir+"2", "user", "list")
	require.Equal(t, 1, gone.code)
	require.NotContains(t, gone.errors, "Running:")
	require.Zero(t, ask("DATA_DIR="+dir, "user", "list").code, "an installation whose server does not run")
}
