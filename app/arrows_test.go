package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrows says what each package may import besides the standard library: packages of Errand by their path below the
// module, and modules by their path. A package that is not here fails the test: decide where it stands first.
var arrows = map[string][]string{
	"core":        {"github.com/santhosh-tekuri/jsonschema/v6"},
	"core/manage": {"core"},

	// Pure: no I/O.
	"envelope":            {"core", "envelope/stack"},
	"envelope/stack":      {"core"},
	"otlp":                {"core", "envelope", "envelope/stack", "go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"},
	"scrub":               {"core", "scrub/jsregexp"},
	"scrub/jsregexp":      {},
	"grouping":            {"core"},
	"sourcemap":           {"core", "sourcemap/functions", "github.com/klauspost/compress"},
	"sourcemap/functions": {},
	"triage":              {"core"},
	"similar":             {"core"},
	"fixes":               {"core"},
	"facets":              {"core", "github.com/mileusna/useragent"},
	"passwords":           {"golang.org/x/crypto", "golang.org/x/sync"},
	"seal":                {"core"},

	"migrations":     {},
	"store/pg":       {"core", "github.com/jackc/pgx/v5", "github.com/jackc/pgerrcode"},
	"store/activity": {"core", "store/pg"},
	"store/watch":    {"core", "fixes", "store/activity", "store/pg"},
	"store/intake": {"core", "fixes", "similar", "triage", "store/activity", "store/pg", "store/watch", "github.com/jackc/pgx/v5",
		"github.com/jackc/pgerrcode",
		"github.com/hashicorp/golang-lru/v2", "github.com/klauspost/compress", "golang.org/x/sync"},
	"store": {"core", "facets", "fixes", "migrations", "scrub", "similar", "triage",
		"store/activity", "store/intake", "store/pg", "store/watch",
		"github.com/jackc/pgx/v5", "github.com/jackc/pgerrcode", "github.com/pressly/goose/v3", "github.com/riverqueue/river",
		"github.com/hashicorp/golang-lru/v2"},
	"store/embedded":  {"github.com/jackc/pgx/v5", "golang.org/x/sys"},
	"store/storetest": {"core", "store", "store/embedded", "store/intake", "testkit/ramdisk", "github.com/jackc/pgx/v5", "github.com/stretchr/testify"},

	"blob":    {"core", "github.com/minio/minio-go/v7", "github.com/hashicorp/golang-lru/v2"},
	"prompts": {"core"},
	"brief":   {"core", "store", "sourcemap", "prompts"},

	"tools": {"core", "store", "brief", "prompts", "scrub", "fixes", "sourcemap", "blob", "seal", "notify",
		"notify/formats", "notify/email"},
	"tools/accounts": {"core", "passwords", "store"},
	"tools/manage":   {"core", "core/manage", "passwords", "store"},

	// The surfaces see a registry, never tools or store.
	"wire":       {"core"},
	"api":        {"core", "core/manage", "wire", "github.com/danielgtaylor/huma/v2", "github.com/go-chi/chi/v5"},
	"api/manage": {"core", "core/manage", "wire", "github.com/danielgtaylor/huma/v2", "github.com/go-chi/chi/v5"},
	"mcp":        {"core", "wire", "prompts", "github.com/mark3labs/mcp-go"},
	"scm":        {"core", "wire"},
	"sentryapi":  {"core", "wire", "sourcemap", "github.com/go-chi/chi/v5"},
	"oauth":      {"core", "wire"},
	"web":        {"core", "wire", "web/sso", "github.com/alexedwards/scs/v2"},
	"web/sso":    {"core", "github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"},

	"sentryapi/chunks": {"blob", "core", "sentryapi"},

	"ingest": {"core", "wire", "store", "store/intake", "envelope", "otlp", "scrub", "sourcemap", "grouping", "similar", "triage", "blob",
		"github.com/andybalholm/brotli",
		"github.com/hashicorp/golang-lru/v2", "github.com/klauspost/compress", "golang.org/x/sync",
		// Its counters must cost next to nothing, so it holds them itself; the others tell app, by Options.Observe.
		"github.com/prometheus/client_golang"},
	"edge": {"core", "wire", "github.com/hashicorp/golang-lru/v2"},

	"notify":          {"core"},
	"notify/service":  {"core", "notify", "prompts"},
	"notify/dispatch": {"core", "notify", "prompts"},
	"notify/scmissue": {"core", "notify", "prompts"},
	"notify/slack":    {"core", "notify", "prompts"},
	"notify/discord":  {"core", "notify", "prompts"},
	"notify/formats": {"core", "seal", "notify",
		"notify/service", "notify/dispatch", "notify/scmissue", "notify/slack", "notify/discord"},
	"notify/email":      {"core", "notify", "prompts", "github.com/wneessen/go-mail"},
	"notify/wake":       {"core", "github.com/nats-io/nats.go"},
	"notify/notifytest": {"core", "notify", "github.com/emersion/go-sasl", "github.com/emersion/go-smtp", "github.com/stretchr/testify"},

	"jobs": {"core", "store", "blob", "brief", "seal", "notify", "notify/formats", "fixes",
		"github.com/jackc/pgx/v5", "github.com/riverqueue/river"},

	"demo": {"core", "golang.org/x/sync"},

	"app":        {"*"},
	"cmd/errand": {"app", "github.com/alecthomas/kong"},

	// Programs of others, to start from: what they know of Errand is its API.
	"examples/runner": {},

	// For tests and measurements only.
	"blob/blobtest":   {"blob", "github.com/stretchr/testify"},
	"e2e/interop":     {"e2e/loop", "github.com/modelcontextprotocol/go-sdk"},
	"fixes/fixestest": {"fixes"},
	"testkit/corpora": {},
	"testkit/logtext": {},
	"testkit/ramdisk": {},
	"testkit/golden":  {"github.com/stretchr/testify"},
	"testkit/house":   {},
	"scripts/names":   {"testkit/house"},
	"api/surfacetest": {"api", "blob", "core", "grouping", "ingest", "mcp", "store", "store/intake", "store/storetest", "tools",
		"github.com/stretchr/testify"},
	"e2e":             {"e2e/loop"},
	"e2e/loop":        {},
	"bench":           {"store/embedded", "github.com/jackc/pgx/v5"},
	"bench/ingest":    {"bench", "envelope", "grouping", "scrub", "store/intake", "github.com/jackc/pgx/v5"},
	"bench/queries":   {"bench", "passwords", "core", "similar", "store", "store/intake", "triage", "github.com/jackc/pgx/v5"},
	"bench/webhooks":  {"bench", "core", "notify", "notify/service"},
	"bench/sourcemap": {"bench", "sourcemap", "github.com/go-sourcemap/sourcemap"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestArrows(t *testing.T) {
	t.Parallel()
	for _, p := range goPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "errand/")
		allowed, known := arrows[name]
		require.True(t, known, "package %s is not in the table of arrows", name)
		for _, imported := range p.Imports {
			require.True(t, mayImport(allowed, imported), "%s must not import %s", name, imported)
		}
	}
}

func goPackages(t *testing.T) []goPackage {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "errand/...")
	out, err := cmd.Output()
	require.NoError(t, err)
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		list = append(list, p)
	}
}

func mayImport(allowed []string, imported string) bool {
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") && first != "errand" {
		return true // the standard library
	}
	return slices.ContainsFunc(allowed, func(a string) bool {
		name, ours := strings.CutPrefix(imported, "errand/")
		return a == "*" || ours && a == name || !ours && (imported == a || strings.HasPrefix(imported, a+"/"))
	})
}
