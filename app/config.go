package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"errand/core"
	"errand/edge"
	"errand/fixes"
	"errand/passwords"
	"errand/store"
	"errand/store/embedded"
)

// Config is the configuration of a deployment. Each field is a flag of `errand serve` and a variable of the
// environment (decisions 2). Fields of core.SettingTexts belong to the installation, the others to this server. An
// empty field is not set. flagHelp has the texts for --help.
type Config struct {
	core.SettingTexts `embed:""`
	OutgoingConfig    `embed:""`
	SSOConfig         `embed:""`

	Addr           string      `name:"addr" env:"ADDR" default:"127.0.0.1:8080"`
	DataDir        string      `name:"data-dir" env:"DATA_DIR"`
	DatabaseURL    core.Secret `name:"database-url" env:"DATABASE_URL"`
	DatabasePool   int         `name:"database-pool" env:"DATABASE_POOL" default:"19"`
	PostgresBin    string      `name:"postgres-bin" env:"POSTGRES_BIN"`
	PostgresMemory megabytes   `name:"postgres-memory" env:"POSTGRES_MEMORY" default:"32MB"`
	AdminToken     core.Secret `name:"admin-token" env:"ADMIN_TOKEN"`
	Migrate        word        `name:"migrate" env:"MIGRATE" enum:"on,off" default:"on"`
	Roles          string      `name:"roles" env:"ROLES" default:"all"`
	TrustedProxies string      `name:"trusted-proxies" env:"TRUSTED_PROXIES"`
	MetricsAddr    string      `name:"metrics-addr" env:"METRICS_ADDR"`
	LogLevel       word        `name:"log-level" env:"LOG_LEVEL" enum:"debug,info,warn,error" default:"info"`
	LogFormat      word        `name:"log-format" env:"LOG_FORMAT" enum:"json,text," default:""`

	DatabaseWait  string `name:"database-wait" env:"DATABASE_WAIT" default:"1m"`
	ShutdownDelay string `name:"shutdown-delay" env:"SHUTDOWN_DELAY" default:"0s"`

	VerifyMin string `name:"verify-min" env:"VERIFY_MIN" help:"Shortest time for which a fixed error must stay away; by default 1h."`
	VerifyMax string `name:"verify-max" env:"VERIFY_MAX" help:"Longest such time, which needs no sign of life; by default 7d."`
	SCMHost   string `name:"scm-host" env:"SCM_HOST" default:"github.com" help:"Hosts of source control, where pull requests are."`

	SCMWebhookSecret core.Secret `name:"scm-webhook-secret" env:"SCM_WEBHOOK_SECRET"`

	Blobs core.Secret `name:"blobs" env:"BLOBS"` // its URL can hold a secret

	// RefreshEvery is how often the settings of the installation are read; 0 for the usual time.
	RefreshEvery time.Duration `kong:"-"`
	// Clock is the clock of this server; nil means the machine's clock. MeasureClockEvery is how often the server
	// compares it with Postgres' clock; 0 means the usual time.
	Clock             core.Clock    `kong:"-"`
	MeasureClockEvery time.Duration `kong:"-"`
	// PasswordParams are the costs of password hashes; the zero value for the recommended ones.
	PasswordParams passwords.Params `kong:"-"`

	parsedRoles []role            // from Roles
	proxies     edge.Proxies      // from TrustedProxies
	settings    map[string]string // the SettingTexts that are set, in their stored form
	consoleURL  string            // BASE_URL for what a command prints: as it was given, or of a running server
	waitAtStart time.Duration
	stopDelay   time.Duration
	verify      fixes.Bounds // from VerifyMin and VerifyMax
}

// word is one of a few words, in upper or lower case.
type word string

// UnmarshalText is called by kong.
func (w *word) UnmarshalText(text []byte) error {
	*w = word(strings.ToLower(strings.TrimSpace(string(text))))
	return nil
}

// megabytes is a size, written as a number with MB or GB.
type megabytes int

// UnmarshalText is called by kong.
func (m *megabytes) UnmarshalText(text []byte) error {
	number, unit := strings.ToUpper(strings.TrimSpace(string(text))), 1
	if number == "" {
		*m = 0
		return nil
	}
	if trimmed, isGB := strings.CutSuffix(number, "GB"); isGB {
		number, unit = trimmed, 1024
	} else {
		number = strings.TrimSuffix(number, "MB")
	}
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 20)
	if err != nil {
		return fmt.Errorf("must be a size such as 64MB or 2GB, not %q", text)
	}
	*m = megabytes(int(n) * unit)
	return nil
}

// MemoryLimit is the soft limit of the process's memory in bytes, unless GOMEMLIMIT sets another. A busy server needs
// half of it. Near the limit, the garbage of large events is collected sooner.
const MemoryLimit = 192 << 20

// GarbagePercent is the GOGC of a server, unless the environment sets another: it collects its garbage when that is twice its live heap.
// A busy server's heap is small: Go's own 100 takes a tenth more CPU, and saves 14 MB (bench/turns).
const GarbagePercent = 200

// FillDefaults fills in the defaults that depend on other fields. Its errors name the variable that cannot work.
func (c *Config) FillDefaults() (err error) {
	if err := c.readSettings(); err != nil {
		return err
	}
	if c.AdminToken != "" {
		if err := checkStrength(c.AdminToken.Reveal()); err != nil {
			return fmt.Errorf("ADMIN_TOKEN must %w", err)
		}
	}
	if c.proxies, err = edge.ParseProxies(c.TrustedProxies); err != nil {
		return fmt.Errorf("TRUSTED_PROXIES %w", err)
	}
	if c.waitAtStart, err = parseDuration("DATABASE_WAIT", c.DatabaseWait); err != nil {
		return err
	}
	if c.stopDelay, err = parseDuration("SHUTDOWN_DELAY", c.ShutdownDelay); err != nil {
		return err
	}
	if err := c.readVerification(); err != nil {
		return err
	}
	if err := errors.Join(c.readOutgoing(), c.readSSO()); err != nil {
		return err
	}
	if hosts := fixes.ParseHosts(c.SCMHost); strings.ContainsAny(strings.Join(hosts, ""), "/ @?#") {
		return errors.New("SCM_HOST must be a host, such as github.com, without https:// and path, or several separated by commas")
	}
	if c.DatabasePool != 0 && c.DatabasePool < store.MinConnections {
		return fmt.Errorf("DATABASE_POOL must be at least %d", store.MinConnections)
	}
	if c.PostgresMemory != 0 && c.PostgresMemory < embedded.MinMemory {
		return fmt.Errorf("POSTGRES_MEMORY must be at least %dMB", embedded.MinMemory)
	}
	if c.parsedRoles, err = parseRoles(c.Roles); err != nil {
		return err
	}
	if c.DataDir == "" {
		if c.DataDir, err = defaultDataDir(); err != nil {
			return err
		}
	}
	return nil
}

// HelpVariables are the values for ${name} in the help of the flags.
func HelpVariables() map[string]string { return core.HelpVariables() }

// readSettings checks the settings of the installation that this server was given.
func (c *Config) readSettings() error {
	c.settings = map[string]string{}
	given := c.SettingTexts.ByName()
	for _, setting := range core.InstallationSettings() {
		text, isSet := given[setting.Name]
		if !isSet {
			continue
		}
		normal, err := setting.NormalizeText(text)
		if err != nil {
			return err
		}
		c.settings[setting.Name] = normal
	}
	return nil
}

// readVerification reads the bounds of the quiet window. The default of one bound adapts to the other when that is set.
func (c *Config) readVerification() (err error) {
	c.verify = store.DefaultVerify
	if c.VerifyMin != "" {
		if c.verify.Min, err = parseDuration("VERIFY_MIN", c.VerifyMin); err != nil {
			return err
		}
		c.verify.Max = max(c.verify.Max, c.verify.Min)
	}
	if c.VerifyMax != "" {
		if c.verify.Max, err = parseDuration("VERIFY_MAX", c.VerifyMax); err != nil {
			return err
		}
		if c.VerifyMin == "" {
			c.verify.Min = min(c.verify.Min, c.verify.Max)
		}
	}
	if c.verify.Max <= 0 || c.verify.Min > c.verify.Max {
		return errors.New("VERIFY_MAX must be more than 0s, and not less than VERIFY_MIN")
	}
	return nil
}

// parseDuration reads a duration of the configuration; empty text is 0.
func parseDuration(variable, text string) (time.Duration, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	d, err := core.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s must be a number with s, m, h or d, such as 30s: %q", variable, text)
	}
	return d, nil
}

// defaultsHere returns the settings that apply on this server when the installation has none.
func (c *Config) defaultsHere() map[string]string {
	return map[string]string{"BASE_URL": cmp.Or(c.consoleURL, "http://"+c.Addr)}
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

// Configuration is the Config that a command embeds.
func (c *Config) Configuration() *Config { return c }

// isPrivate reports whether Errand runs its own Postgres.
func (c *Config) isPrivate() bool { return c.DatabaseURL == "" }

// LogValue is the configuration without its secrets.
func (c *Config) LogValue() slog.Value {
	database := "private, in DATA_DIR"
	if !c.isPrivate() {
		database = redactURL(c.DatabaseURL.Reveal())
	}
	return slog.GroupValue(
		slog.String("ADDR", c.Addr), slog.String("DATA_DIR", c.DataDir),
		slog.String("DATABASE_URL", database), slog.Any("ADMIN_TOKEN", c.AdminToken), slog.String("MIGRATE", string(c.Migrate)),
		slog.String("METRICS_ADDR", c.MetricsAddr), slog.Any("ROLES", c.parsedRoles), slog.String("TRUSTED_PROXIES", c.TrustedProxies),
		slog.String("LOG_LEVEL", string(c.LogLevel)), slog.Int("DATABASE_POOL", c.DatabasePool),
		slog.Duration("DATABASE_WAIT", c.waitAtStart), slog.Duration("SHUTDOWN_DELAY", c.stopDelay),
		slog.Any("set_for_the_installation", c.settings),
	)
}

// redactURL keeps the host and the name of a database. A connection string other than a URL is redacted completely.
func redactURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "[redacted]"
	}
	return u.Scheme + "://" + u.Host + u.Path
}
