package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"errand/core"
	"errand/edge"
	"errand/store"
)

// Config is how a deployment sets Errand up. Each field is a flag of `errand serve` and a variable of the environment
// (decisions 2).
type Config struct {
	Addr           string      `name:"addr" env:"ADDR" default:"127.0.0.1:8080" help:"Listen address."`
	BaseURL        string      `name:"base-url" env:"BASE_URL" help:"Public URL, for DSNs and links; by default http:// and the listen address."`
	DataDir        string      `name:"data-dir" env:"DATA_DIR" help:"Folder of the private Postgres and of generated secrets; by default /var/lib/errand for root, else the user's data folder."`
	DatabaseURL    core.Secret `name:"database-url" env:"DATABASE_URL" help:"An existing Postgres, 15 or later; unset, Errand runs a private one in the data folder."`
	PostgresBin    string      `name:"postgres-bin" env:"POSTGRES_BIN" help:"Folder of the programs postgres and initdb; by default the newest that is installed."`
	AdminToken     core.Secret `name:"admin-token" env:"ADMIN_TOKEN" help:"Token of the bootstrap admin; with the private Postgres it is made when unset, and printed once."`
	KeepEvents     int64       `name:"stored-events-per-issue" env:"STORED_EVENTS_PER_ISSUE" default:"1000" help:"Stored events kept per issue: the first 100 and the newest; at least 200."`
	Retention      int         `name:"retention-days" env:"RETENTION_DAYS" default:"90" help:"Stored events older than this many days are deleted."`
	Similar        string      `name:"similar" env:"SIMILAR" enum:"on,off" default:"on" help:"on: find_similar finds similar issues; off: it answers similar_off."`
	Migrate        string      `name:"migrate" env:"MIGRATE" enum:"on,off" default:"on" help:"on: bring the schema up to date at start; off: refuse to start on an old one."`
	Roles          string      `name:"roles" env:"ROLES" default:"all" help:"What this server does: all, or a comma list of ingest, api, mcp, web, worker."`
	TrustedProxies string      `name:"trusted-proxies" env:"TRUSTED_PROXIES" help:"Proxies in front of the server: a comma list of CIDRs whose X-Forwarded-For or Forwarded is believed; by default none."`
	MetricsAddr    string      `name:"metrics-addr" env:"METRICS_ADDR" help:"Listen address of /metrics and /debug/pprof, for operators only, such as 127.0.0.1:9090; by default off."`
	LogLevel       string      `name:"log-level" env:"LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"debug, info, warn or error."`
	LogFormat      string      `name:"log-format" env:"LOG_FORMAT" enum:"json,text," default:"" help:"json or text; by default text on a terminal, else json."`

	RequireApproval []core.HeldAction `name:"require-approval" env:"REQUIRE_APPROVAL" help:"Actions that wait for a second admin: a comma list of ignore, merge, delete_project."`

	roles   []role       // of Roles
	proxies edge.Proxies // of TrustedProxies
}

// MemoryLimit is the soft limit of the process's memory in bytes, where GOMEMLIMIT sets no other. A busy server needs half
// of it; near it the garbage of large events is collected sooner.
const MemoryLimit = 192 << 20

// How many days stored events are kept.
const (
	defaultRetention = 90
	maxRetention     = 3650
)

// Complete fills in the defaults that depend on others and tells what cannot work, naming the variable.
func (c *Config) Complete() error {
	if c.BaseURL == "" {
		c.BaseURL = "http://" + c.Addr
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return errors.New("BASE_URL must be http://host[:port] or https://host[:port]") // it may hold a password: it is not repeated
	}
	if strings.Trim(base.Path, "/") != "" {
		return fmt.Errorf("BASE_URL must have no path, because a DSN has none: %q", c.BaseURL)
	}
	c.BaseURL = base.Scheme + "://" + base.Host
	if c.AdminToken != "" {
		if err := checkAdminToken(c.AdminToken.Reveal()); err != nil {
			return fmt.Errorf("ADMIN_TOKEN must %w", err)
		}
	}
	if c.proxies, err = edge.ParseProxies(c.TrustedProxies); err != nil {
		return fmt.Errorf("TRUSTED_PROXIES %w", err)
	}
	if c.KeepEvents != 0 && c.KeepEvents < store.MinKeep {
		return fmt.Errorf("STORED_EVENTS_PER_ISSUE must be at least %d", store.MinKeep)
	}
	if c.Retention < 0 || c.Retention > maxRetention {
		return fmt.Errorf("RETENTION_DAYS must be from 1 to %d", maxRetention)
	}
	c.Retention = cmp.Or(c.Retention, defaultRetention)
	if c.roles, err = parseRoles(c.Roles); err != nil {
		return err
	}
	c.RequireApproval = trimmed(c.RequireApproval)
	if err := core.CheckHeldActions(c.RequireApproval); err != nil {
		return fmt.Errorf("REQUIRE_APPROVAL: %w", err)
	}
	if c.DataDir == "" {
		if c.DataDir, err = defaultDataDir(); err != nil {
			return err
		}
	}
	return nil
}

// trimmed takes the spaces off the words of a list, and the empty words out of it.
func trimmed(words []core.HeldAction) []core.HeldAction {
	var list []core.HeldAction
	for _, word := range words {
		if word = core.HeldAction(strings.TrimSpace(string(word))); word != "" {
			list = append(list, word)
		}
	}
	return list
}

func defaultDataDir() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/lib/errand", nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "errand"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("DATA_DIR is not set and there is no home folder to put it in: %w", err)
	}
	return filepath.Join(home, ".local", "share", "errand"), nil
}

// private tells whether Errand runs its own Postgres.
func (c *Config) private() bool { return c.DatabaseURL == "" }

// LogValue is the configuration without its secrets.
func (c *Config) LogValue() slog.Value {
	database := "private, in DATA_DIR"
	if !c.private() {
		database = redactURL(c.DatabaseURL.Reveal())
	}
	return slog.GroupValue(
		slog.String("ADDR", c.Addr), slog.String("BASE_URL", c.BaseURL), slog.String("DATA_DIR", c.DataDir),
		slog.String("DATABASE_URL", database), slog.Any("ADMIN_TOKEN", c.AdminToken), slog.String("MIGRATE", c.Migrate), slog.String("SIMILAR", c.Similar),
		slog.Int64("STORED_EVENTS_PER_ISSUE", cmp.Or(c.KeepEvents, store.DefaultKeep)), slog.Int("RETENTION_DAYS", c.Retention),
		slog.String("METRICS_ADDR", c.MetricsAddr), slog.Any("ROLES", c.roles), slog.String("TRUSTED_PROXIES", c.TrustedProxies), slog.Any("REQUIRE_APPROVAL", c.RequireApproval),
		slog.String("LOG_LEVEL", c.LogLevel),
	)
}

// redactURL keeps what tells databases apart: host and name. A connection string that is no URL tells nothing safely.
func redactURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "[redacted]"
	}
	return u.Scheme + "://" + u.Host + u.Path
}
