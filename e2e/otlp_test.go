//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// python is the interpreter that scripts/install-pip made.
const python = "../.cache/e2e-python/bin/python"

// runExporter runs an application of e2e/sdk whose OpenTelemetry exports to the server. It prints nothing unless an export fails.
func (s *server) runExporter(t *testing.T, dsn, protocol, header string, command ...string) {
	t.Helper()
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(),
		"OTEL_SERVICE_NAME=shop", "OTEL_RESOURCE_ATTRIBUTES=service.version=shop@1.4.0,deployment.environment.name=production",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+s.url, "OTEL_EXPORTER_OTLP_PROTOCOL="+protocol, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
		"OTEL_EXPORTER_OTLP_HEADERS="+fmt.Sprintf(header, u.User.Username()),
		"OTEL_TRACES_EXPORTER=otlp", "OTEL_LOGS_EXPORTER=otlp", "OTEL_METRICS_EXPORTER=otlp")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out), "an export failed")
}

// exported is an issue that an export made, with its latest event.
type exported struct {
	Title         string
	Culprit       string
	TimesSeen     int    `json:"times_seen"`
	UsersAffected int    `json:"users_affected"`
	FirstRelease  string `json:"first_release"`
	LatestEventID int64  `json:"latest_event_id"`
	event         exportedEvent
}

type exportedEvent struct {
	Platform, Environment string
	Exceptions            []struct {
		Type   string
		Frames []struct {
			Function string
			InApp    bool `json:"in_app"`
		}
	}
	Request *struct{ Method, URL string }
	SDK     struct{ Name string }
	Tags    map[string]string
}

// exportedIssues returns the issues of a project by title.
func (s *server) exportedIssues(t *testing.T, slug string) map[string]exported {
	t.Helper()
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues?project="+slug, "", &list))
	issues := map[string]exported{}
	for _, row := range list.Data {
		var detail struct{ Data exported }
		require.Equal(t, 200, s.callAPI(adminToken, "GET", fmt.Sprint("/v1/issues/", row.ID), "", &detail))
		var event struct{ Data struct{ Event exportedEvent } }
		require.Equal(t, 200, s.callAPI(adminToken, "GET", fmt.Sprint("/v1/events/", detail.Data.LatestEventID), "", &event))
		detail.Data.event = event.Data.Event
		issues[detail.Data.Title] = detail.Data
	}
	return issues
}

// TestOpenTelemetry is applications with OpenTelemetry and without an SDK of Sentry. Each error that they raise is
// one event, however often it was recorded.
func TestOpenTelemetry(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const bearer, sentryAuth = "authorization=Bearer%%20%s", "x-sentry-auth=sentry%%20sentry_key=%s"
	for name, c := range map[string]struct {
		protocol, header string
		command          []string
		platform, sdk    string
		exceptions       int
	}{
		"Python":           {"http/protobuf", bearer, []string{python, "sdk/otel.py"}, "python", "opentelemetry.python", 2},
		"Node in protobuf": {"http/protobuf", sentryAuth, []string{"node", "sdk/otel.mjs"}, "node", "opentelemetry.nodejs", 1},
		"Node in JSON":     {"http/json", bearer, []string{"node", "sdk/otel.mjs"}, "node", "opentelemetry.nodejs", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn, slug := s.makeProject(name)
			s.runExporter(t, dsn, c.protocol, c.header, c.command...)
			issues := s.exportedIssues(t, slug)
			cart, ok := issues["CartError: cart 1001 cannot be loaded"]
			require.True(t, ok, issues)
			require.Equal(t, 1, cart.TimesSeen)
			require.Equal(t, "shop@1.4.0", cart.FirstRelease)
			e := cart.event
			named := []string{e.Platform, e.SDK.Name, e.Environment, e.Tags["service.name"]}
			require.Equal(t, []string{c.platform, c.sdk, "production", "shop"}, named)
			require.Len(t, e.Exceptions, c.exceptions)
			require.Contains(t, []string{"load_cart", "loadCart"}, e.Exceptions[0].Frames[0].Function)
			require.True(t, e.Exceptions[0].Frames[0].InApp)
			if c.platform == "python" {
				require.Len(t, issues, 2, "the span's exception and the log's")
				require.Contains(t, issues, "ValueError: no address")
				require.Equal(t, "https://shop.example/cart", e.Request.URL)
				require.Equal(t, 1, cart.UsersAffected)
			} else {
				require.Len(t, issues, 1)
			}
		})
	}
}

// TestSentryOTLPIntegration exports spans from sentry-sdk to its DSN. Each refusal of them once made an error event.
func TestSentryOTLPIntegration(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	dsn, slug := s.makeProject("Python")
	out, err := exec.CommandContext(t.Context(), python, "sdk/sentry_otlp.py", dsn).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out))
	issues := s.exportedIssues(t, slug)
	require.Len(t, issues, 2)
	require.Equal(t, "opentelemetry.python", issues["ValueError: no address"].event.SDK.Name)
	captured := issues["KeyError: 'sku'"]
	require.Equal(t, 1, captured.TimesSeen, "what the SDK has captured counts once")
	require.Equal(t, "shop@1.4.0", captured.FirstRelease)
}
