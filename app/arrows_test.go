package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrows lists what each package may import besides the standard library: packages of Errand by their path in the
// module, and modules by their path. "notify/*" stands for every package in that folder without its own line. A package
// without a line fails the test, and so does a permission that nobody uses.
var arrows = map[string][]string{
	"core":        {"github.com/santhosh-tekuri/jsonschema/v6"},
	"core/manage": {"core"},

	// Pure: no I/O.
	"envelope":            {"core", "envelope/stack"},
	"envelope/stack":      {"core"},
	"otlp":                {"core", "envelope", "go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"},
	"scrub":               {"core", "scrub/jsregexp"},
	"scrub/jsregexp":      {},
	"grouping":            {"core"},
	"sourcemap":           {"sourcemap/functions", "github.com/klauspost/compress"},
	"sourcemap/functions": {},
	"triage":              {"core"},
	"similar":             {"core"},
	"fixes":               {"core"},
	"facets":              {"core", "github.com/mileusna/useragent"},
	"passwords":           {"golang.org/x/crypto", "golang.org/x/sync"},
	"seal":                {"core"},

	"migrations": {},
	"store/pg": {"core", "github.com/jackc/pgx/v5", "github.com/jackc/pgerrcode", "golang.org/x/sync",
		"github.com/hashicorp/golang-lru/v2"},
	"store/activity": {"core", "store/pg"},
	"store/watch":    {"core", "fixes", "store/activity", "store/pg"},
	"store/dump":     {"store/pg", "github.com/jackc/pgx/v5"},
	"store/intake": {"core", "fixes", "triage", "store/activity", "store/pg", "store/watch", "github.com/jackc/pgx/v5",
		"github.com/jackc/pgerrcode",
		"github.com/hashicorp/golang-lru/v2", "github.com/klauspost/compress", "golang.org/x/sync"},
	"store": {"core", "facets", "fixes", "migrations", "scrub", "similar", "triage",
		"store/activity", "store/dump", "store/intake", "store/pg", "store/watch",
		"github.com/jackc/pgx/v5", "github.com/jackc/pgerrcode", "github.com/pressly/goose/v3", "github.com/riverqueue/river",
		"github.com/hashicorp/golang-lru/v2"},
	"store/embedded": {"github.com/jackc/pgx/v5"},
	"store/storetest": {"core", "migrations", "store", "store/embedded", "store/intake", "store/pg", "testkit/citus", "testkit/ramdisk",
		"github.com/jackc/pgx/v5", "github.com/stretchr/testify"},

	"blob":    {"github.com/minio/minio-go/v7", "github.com/hashicorp/golang-lru/v2"},
	"prompts": {"core"},
	"brief":   {"core", "store", "prompts"},

	"tools": {"core", "store", "brief", "prompts", "scrub", "facets", "fixes", "sourcemap", "blob", "seal", "notify",
		"notify/formats", "notify/email"},
	"tools/accounts": {"core", "passwords", "store"},
	"tools/manage":   {"core", "core/manage", "passwords", "store"},

	// The surfaces see a registry, never tools or store.
	"wire":       {"core"},
	"api":        {"core", "core/manage", "wire", "github.com/danielgtaylor/huma/v2", "github.com/go-chi/chi/v5"},
	"api/manage": {"core", "core/manage", "wire", "github.com/go-chi/chi/v5"},
	"mcp":        {"core", "wire", "prompts", "github.com/mark3labs/mcp-go"},
	"scm":        {"core", "wire"},
	"sentryapi":  {"core", "wire", "sourcemap", "github.com/go-chi/chi/v5"},
	"oauth":      {"core", "wire"},
	"web":        {"core", "core/manage", "prompts", "wire", "web/sso", "github.com/alexedwards/scs/v2"},
	"web/sso":    {"core", "github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"},

	"sentryapi/chunks": {"blob", "core", "sentryapi"},

	"ingest": {"core", "wire", "store", "store/intake", "envelope", "otlp", "scrub", "sourcemap", "grouping", "similar", "triage", "blob",
		"github.com/andybalholm/brotli",
		"github.com/hashicorp/golang-lru/v2", "github.com/klauspost/compress", "golang.org/x/sync",
		// It holds its own counters, since they must cost next to nothing. Others report to app through Options.Observe.
		"github.com/prometheus/client_golang"},
	"edge": {"core", "wire", "github.com/hashicorp/golang-lru/v2"},

	"notify":            {"core"},
	"notify/formats":    {"core", "seal", "notify", "notify/*"},
	"notify/*":          {"core", "notify"}, // a format
	"notify/email":      {"core", "notify", "github.com/wneessen/go-mail"},
	"notify/sending":    {"core", "notify", "notify/formats", "store"},
	"notify/wake":       {"core", "github.com/nats-io/nats.go"},
	"notify/notifytest": {"core", "notify", "github.com/emersion/go-sasl", "github.com/emersion/go-smtp", "github.com/stretchr/testify"},

	"jobs": {"core", "store", "blob", "seal", "notify/formats",
		"github.com/jackc/pgx/v5", "github.com/riverqueue/river"},

	"demo": {"core", "golang.org/x/sync"},

	// The client of the command line knows a server only by its API.
	"client": {"core", "fixes", "prompts", "sourcemap", "wire", "golang.org/x/term", "golang.org/x/text"},

	"backup": {"blob", "core", "store", "store/dump", "filippo.io/age", "github.com/klauspost/compress"},

	"app":        {"*"}, // except client
	"cmd/errand": {"app", "client", "github.com/alecthomas/kong"},

	// Examples to start from: they know only the API of Errand.
	"examples/runner": {},

	// For tests and measurements only.
	"blob/blobtest":   {"blob", "github.com/stretchr/testify"},
	"e2e/interop":     {"e2e/loop", "github.com/modelcontextprotocol/go-sdk"},
	"fixes/fixestest": {"fixes"},
	"testkit/citus":   {"github.com/jackc/pgx/v5"},
	"testkit/corpora": {},
	"testkit/crashes": {},
	"testkit/logtext": {},
	"testkit/ramdisk": {},
	"testkit/race":    {},
	"testkit/golden":  {"github.com/stretchr/testify"},
	"testkit/house":   {},
	"scripts/names":   {"testkit/house"},
	"packaging":       {},
	"scripts/slowest": {},
	"api/surfacetest": {"api", "blob", "core", "grouping", "ingest", "mcp", "store", "store/intake", "store/storetest", "tools",
		"github.com/stretchr/testify"},
	"e2e":           {},
	"e2e/loop":      {},
	"bench":         {"store/embedded", "github.com/jackc/pgx/v5"},
	"bench/load":    {"bench"},
	"bench/turns":   {"bench", "bench/load"},
	"bench/citus":   {"bench", "bench/load", "testkit/citus"},
	"bench/servers": {"bench", "bench/load"},
	"bench/soak":    {"bench", "bench/load"},
	"bench/ingest":  {"bench", "bench/load", "envelope", "grouping", "scrub", "store/intake", "github.com/jackc/pgx/v5"},
	"bench/queries": {"bench", "passwords", "core", "similar", "store", "store/intake", "testkit/crashes", "triage",
		"github.com/jackc/pgx/v5"},
	"bench/webhooks":   {"bench", "core", "notify", "notify/service"},
	"bench/migrations": {"bench", "migrations", "store", "store/embedded", "github.com/jackc/pgx/v5"},
	"bench/sourcemap":  {"bench", "sourcemap", "github.com/go-sourcemap/sourcemap"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestArrows(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, p := range goPackages(t) {
		name := findLine(strings.TrimPrefix(p.ImportPath, "errand/"))
		require.Contains(t, arrows, name, "package %s is not in the table of arrows", p.ImportPath)
		used[name] = true
		for _, imported := range p.Imports {
			if isStandard(imported) {
				continue
			}
			i := slices.IndexFunc(arrows[name], func(allowed string) bool { return isAllowed(allowed, imported) })
			require.GreaterOrEqual(t, i, 0, "%s must not import %s", p.ImportPath, imported)
			used[name+" -> "+arrows[name][i]] = true
		}
	}
	var unused []string
	for name, list := range arrows {
		require.True(t, used[name], "%s is in the table of arrows, and is not a package", name)
		for _, allowed := range list {
			if arrow := name + " -> " + allowed; !used[arrow] {
				unused = append(unused, arrow)
			}
		}
	}
	require.Empty(t, unused, "nobody uses these permissions: take them out of the table of arrows")
}

// findLine returns the line of the table for a package: its own, or the one for its folder.
func findLine(name string) string {
	if _, hasOwn := arrows[name]; hasOwn {
		return name
	}
	return path.Dir(name) + "/*"
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

func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != "errand"
}

// isAllowed reports whether an entry of the table covers an imported package.
func isAllowed(allowed, imported string) bool {
	name, ours := strings.CutPrefix(imported, "errand/")
	if ours {
		return allowed == "*" && name != "client" || allowed == name || allowed == findLine(name)
	}
	return allowed == "*" || imported == allowed || strings.HasPrefix(imported, allowed+"/")
}
