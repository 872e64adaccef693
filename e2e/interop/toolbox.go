package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// toolbox installs the packages of clients, each into a separate folder.
type toolbox struct {
	cache string
	path  string // PATH, starting with a recent enough Node.js
}

// oldestNode is the oldest major version of Node.js that the suite runs on. If it is missing, npm provides one.
const (
	oldestNode = 22
	nodeOfNPM  = "node@22"
)

func newToolbox(ctx context.Context, cache string) (*toolbox, error) {
	t := &toolbox{cache: cache, path: os.Getenv("PATH")}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("there must be a Node.js with npm: %w", err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if n, _ := strconv.Atoi(major); n >= oldestNode {
		return t, nil
	}
	dir, err := t.installNPM(ctx, nodeOfNPM)
	if err != nil {
		return nil, err
	}
	t.path = filepath.Join(dir, "node_modules", ".bin") + string(os.PathListSeparator) + t.path
	return t, nil
}

// installNPM installs packages of npm, named with their versions, and returns their folder.
func (t *toolbox) installNPM(ctx context.Context, packages ...string) (dir string, err error) {
	dir = filepath.Join(t.cache, folderOf(packages))
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // nothing secret is in it
		return "", err
	}
	args := append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel=error"}, packages...)
	return dir, t.finishInstall(ctx, dir, "npm", args...)
}

// installPip installs packages for Python, named with their versions, and returns their folder.
func (t *toolbox) installPip(ctx context.Context, packages ...string) (dir string, err error) {
	dir = filepath.Join(t.cache, folderOf(packages))
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return dir, nil
	}
	if _, err := t.runCommand(ctx, nil, "python3", "-m", "venv", dir); err != nil {
		return "", fmt.Errorf("%w: %w", errNotHad, err)
	}
	args := append([]string{"install", "--quiet", "--disable-pip-version-check"}, packages...)
	return dir, t.finishInstall(ctx, dir, filepath.Join(dir, "bin", "pip"), args...)
}

// finishInstall runs an installer, and records that it was done.
func (t *toolbox) finishInstall(ctx context.Context, dir, installer string, args ...string) error {
	if _, err := t.runCommand(ctx, nil, installer, args...); err != nil {
		return fmt.Errorf("%w: %w", errNotHad, err)
	}
	return os.WriteFile(filepath.Join(dir, "installed"), nil, 0o600)
}

func folderOf(packages []string) string {
	return strings.NewReplacer("/", "-", "@", "-", "=", "-", " ", "_").Replace(strings.Join(packages, " "))
}

// runCommand runs a command and returns its output. An error has the last line of the output.
func (t *toolbox) runCommand(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, t.findCommand(name), args...)
	cmd.Env = append(append(os.Environ(), "PATH="+t.path), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	text := strings.TrimSpace(out.String())
	if err != nil {
		err = fmt.Errorf("%w: %s", err, text[strings.LastIndex(text, "\n")+1:])
	}
	return text, err
}

// findCommand returns the path of a command, which may be in the folder of the newer Node.js.
func (t *toolbox) findCommand(name string) string {
	for _, dir := range filepath.SplitList(t.path) {
		if path := filepath.Join(dir, name); !strings.Contains(name, "/") {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return name
}
