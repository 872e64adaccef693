package app_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/core/manage"
	"errand/store/storetest"
)

// The page whose tables must be complete, and its sections with a table.
const (
	configurationPage   = "docs/configuration.md"
	installationSection = "Settings of the installation"
	serverSection       = "Settings of a server"
	jobsSection         = "Roles and background jobs"
	metricsSection      = "Metrics and profiles"
)

var inBackquotes = regexp.MustCompile("`([^`]+)`")

// documentedNames returns the names in backquotes in the first column of a section's table. The table is the one
// whose first column has the heading.
func documentedNames(t *testing.T, section, heading string) (names []string) {
	t.Helper()
	page, err := os.ReadFile("../" + configurationPage)
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), "\n## "+section+"\n")
	require.True(t, found, "%s has no section %q", configurationPage, section)
	text, _, _ = strings.Cut(text, "\n## ")
	_, rows, found := strings.Cut(text, "\n| "+heading+" |")
	require.True(t, found, "%s, section %q, has no table whose first column is %q", configurationPage, section, heading)
	rows, _, _ = strings.Cut(rows, "\n\n")
	for row := range strings.Lines(rows) {
		row, isRow := strings.CutPrefix(row, "| ")
		if !isRow {
			continue
		}
		first, _, _ := strings.Cut(row, " |")
		for _, match := range inBackquotes.FindAllStringSubmatch(first, -1) {
			names = append(names, match[1])
		}
	}
	return names
}

// requireDocumented compares a table with the program, and names each difference and where to correct it.
func requireDocumented(t *testing.T, section, heading string, inProgram []string, source string) {
	t.Helper()
	documented := documentedNames(t, section, heading)
	for _, name := range inProgram {
		assert.Contains(t, documented, name, "%s is in %s, but not in the table of %ss of %s, section %q",
			name, source, heading, configurationPage, section)
	}
	for _, name := range documented {
		assert.Contains(t, inProgram, name, "%s is in the table of %ss of %s, section %q, but not in %s",
			name, heading, configurationPage, section, source)
	}
	slices.Sort(documented)
	assert.Equal(t, slices.Compact(slices.Clone(documented)), documented, "something is twice in the table of %ss of %s, section %q",
		heading, configurationPage, section)
}

func TestEveryVariableIsDocumented(t *testing.T) {
	t.Parallel()
	var ofInstallation, ofServer []string
	for _, setting := range core.InstallationSettings() {
		ofInstallation = append(ofInstallation, setting.Name)
	}
	for _, variable := range app.ListVariables() {
		if !slices.Contains(ofInstallation, variable) {
			ofServer = append(ofServer, variable)
		}
	}

	requireDocumented(t, installationSection, "variable", ofInstallation, "core.InstallationSettings")
	requireDocumented(t, serverSection, "variable", ofServer, "app.Config (app.Variables)")
}

func TestEveryJobIsDocumented(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))

	requireDocumented(t, jobsSection, "job", s.JobNames(), "jobs.Options.all")
}

// TestGrowthNamesWhoEndsRows checks the last column of docs/growth.md: jobs and operations end the rows of tables.
func TestGrowthNamesWhoEndsRows(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))
	page, err := os.ReadFile("../docs/growth.md")
	require.NoError(t, err)
	document, err := os.ReadFile("../api/testdata/openapi.json")
	require.NoError(t, err)
	jobs := s.JobNames()
	rows := regexp.MustCompile("(?m)^\\| `[a-z_`, ]+ \\| .+ \\| .+ \\| (.+) \\|$").FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		named := inBackquotes.FindAllStringSubmatch(row[1], -1)
		if named == nil {
			require.Contains(t, []string{"nobody", "the queue"}, row[1], row[0])
		}
		for _, name := range named {
			isOperation := strings.Contains(string(document), `"operationId": "`+name[1]+`"`) ||
				slices.ContainsFunc(manage.V1.Operations(), func(op *core.Operation) bool { return op.Name == name[1] })
			require.True(t, isOperation || slices.Contains(jobs, name[1]), "%s: %s is neither a job nor an operation", row[0], name[1])
		}
	}
}

func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))

	requireDocumented(t, metricsSection, "metric", metricsOf(t, s), "the metrics registry (app/metrics.go, ingest/metrics.go)")
}

// described finds a metric's name and labels in the text of its description: a registry has no other form of both.
var described = regexp.MustCompile(`fqName: "([^"]*)".*variableLabels: \{([^}]*)\}`)

// metricsOf returns all registered metrics as the page writes them, such as errand_job_runs_total{job,outcome}. The
// libraries' metrics, which they name themselves, are one for each prefix.
func metricsOf(t *testing.T, s *server) (names []string) {
	t.Helper()
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		s.MetricsRegistry().Describe(descriptions)
	}()
	for description := range descriptions {
		match := described.FindStringSubmatch(description.String())
		require.NotNil(t, match, "%s", description)
		name, labels := match[1], match[2]
		switch prefix, _, _ := strings.Cut(name, "_"); {
		case prefix == "go" || prefix == "process":
			name = prefix + "_*"
		case labels != "":
			name += "{" + labels + "}"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
