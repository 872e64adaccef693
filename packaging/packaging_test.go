// Package packaging_test checks what operators and CI scripts install: the unit, the scripts, and the files for other programs.
package packaging_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// worstExposure is the bound of systemd's own measure of what a service could do, from 0 to 10.
const worstExposure = 2.0

func TestTheUnitIsHardened(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze")
	}
	require.Empty(t, run(t, program, "verify", "--recursive-errors=no", copyWithProgram(t)))
	printed := run(t, program, "security", "--offline=true", "--no-pager", "systemd/errand.service")
	found := regexp.MustCompile(`exposure level for errand.service: ([0-9.]+)`).FindStringSubmatch(printed)
	require.Len(t, found, 2, printed)
	exposure, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	require.Less(t, exposure, worstExposure)
}

// copyWithProgram returns a copy of the unit whose program is there, as systemd-analyze verify demands.
func copyWithProgram(t *testing.T) string {
	t.Helper()
	unit, err := os.ReadFile("systemd/errand.service")
	require.NoError(t, err)
	require.Contains(t, string(unit), "ExecStart=/usr/bin/errand serve")
	copied := filepath.Join(t.TempDir(), "errand.service")
	text := strings.Replace(string(unit), "/usr/bin/errand", "/bin/true", 1)
	text = regexp.MustCompile(`(?m)^Documentation=.*\n`).ReplaceAllString(text, "")
	require.NoError(t, os.WriteFile(copied, []byte(text), 0o600))
	return copied
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestScriptsAreShell(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"postinstall.sh", "preremove.sh"} {
		run(t, "sh", "-n", script)
	}
	for _, script := range []string{
		"examples/action/report.sh", "scripts/serving.sh", "scripts/try-image", "scripts/try-package", "scripts/image-root",
		"scripts/build-images",
	} {
		run(t, "bash", "-n", "../"+script)
	}
}

// An upgrade runs preremove of the old package before postinstall of the new one: it must not stop the service for good.
func TestOnlyARemovalDisables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("preremove.sh")
	require.NoError(t, err)
	for argument, disables := range map[string]bool{"remove": true, "0": true, "upgrade": false, "1": false} {
		script := strings.NewReplacer("[ -d /run/systemd/system ]", "true", "systemctl", "echo").Replace(string(text))
		printed := run(t, "sh", "-c", script, "preremove", argument)
		require.Equal(t, disables, strings.Contains(printed, "disable --now errand.service"), argument)
	}
}

// The files for the registry of MCP servers and for Claude Code are what those read, and name the same version.
func TestFilesForAgents(t *testing.T) {
	t.Parallel()
	server, plugin, servers := readJSON(t, "../server.json"), readJSON(t, "../examples/plugin/.claude-plugin/plugin.json"),
		readJSON(t, "../examples/plugin/.mcp.json")

	require.Equal(t, server["version"], plugin["version"])
	require.LessOrEqual(t, len(server["description"].(string)), 100, "the registry takes 100 characters")
	require.Regexp(t, `^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`, server["name"])
	require.Contains(t, servers["mcpServers"], "errand")
	for _, file := range []string{"skills/errand/SKILL.md", "commands/next-issue.md"} {
		text, err := os.ReadFile("../examples/plugin/" + file)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(text), "---\n"), "%s begins with its fields", file)
	}
}

func readJSON(t *testing.T, file string) (object map[string]any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &object), file)
	return object
}

// Every input of the action reaches its script, and the script reads nothing else.
func TestActionPassesItsInputs(t *testing.T) {
	t.Parallel()
	action, err := os.ReadFile("../examples/action/action.yml")
	require.NoError(t, err)
	script, err := os.ReadFile("../examples/action/report.sh")
	require.NoError(t, err)
	_, inputs, found := strings.Cut(string(action), "\ninputs:\n")
	require.True(t, found)
	inputs, env, found := strings.Cut(inputs, "\nruns:\n")
	require.True(t, found)
	for _, input := range regexp.MustCompile(`(?m)^  ([a-z0-9-]+):$`).FindAllStringSubmatch(inputs, -1) {
		require.Contains(t, env, "inputs."+input[1])
	}
	for _, variable := range regexp.MustCompile(`INPUT_[A-Z0-9_]+`).FindAllString(string(script), -1) {
		require.Contains(t, env, variable+":")
	}
	require.NotContains(t, string(script), "${{", "text of an input would be run")
}

// The alerts are what promtool accepts, and each says what its test expects.
func TestAlerts(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool")
	}
	run(t, program, "check", "rules", "prometheus/errand.rules.yml")
	run(t, program, "test", "rules", "prometheus/errand.rules.test.yml")
}

var ourMetric = regexp.MustCompile(`\berrand_[a-z_]+`)

// Alerts and the dashboard use metrics that exist, and docs/operate.md has a line for each alert.
func TestMetricsThatAreWatchedExist(t *testing.T) {
	t.Parallel()
	documented, err := os.ReadFile("../docs/configuration.md")
	require.NoError(t, err)
	page, err := os.ReadFile("../docs/operate.md")
	require.NoError(t, err)
	rules, err := os.ReadFile("prometheus/errand.rules.yml")
	require.NoError(t, err)
	dashboard, err := os.ReadFile("grafana/errand.json")
	require.NoError(t, err)
	require.Contains(t, readJSON(t, "grafana/errand.json"), "panels")
	for _, metric := range ourMetric.FindAllString(string(rules)+string(dashboard), -1) {
		require.Contains(t, string(documented), "`"+strings.TrimSuffix(metric, "_bucket"), metric)
	}
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		require.Contains(t, string(page), "| `"+alert[1]+"` |")
	}
}
