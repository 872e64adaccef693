// Command errand is the server and its few tools. It parses flags and the environment, and runs a subcommand.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"errand/app"
	"errand/client"
)

// version is set by the build (-ldflags -X main.version=...).
var version = "dev"

type cli struct {
	Serve    serveCmd    `cmd:"" help:"Run the server."`
	Migrate  migrateCmd  `cmd:"" help:"Update the database schema and end."`
	Settings settingsCmd `cmd:"" help:"Show all settings, or unset one of the installation."`
	Token    struct {
		Create tokenCreateCmd `cmd:"" help:"Create an API token and print it."`
	} `cmd:"" help:"API tokens."`
	APIKey     apiKeyCmd `cmd:"" name:"api-key" help:"Keys of the management API at /api/v1."`
	User       userCmd   `cmd:"" help:"People who sign in."`
	Deploy     deployCmd `cmd:"" help:"Report a deploy to a running Errand, by ERRAND_URL and ERRAND_TOKEN, from a CI script."`
	Sourcemaps struct {
		Upload sourceMapsUploadCmd `cmd:"" help:"Upload the source maps of a JavaScript build to the server at ERRAND_URL."`
	} `cmd:"" help:"Source maps of JavaScript builds."`
	MCPConfig mcpConfigCmd `cmd:"" name:"mcp-config" help:"Print the entry with which an MCP client finds the server."`
	Demo      demoCmd      `cmd:"" help:"Fill a demo project with examples, to look around in."`
	Backup    backupCmd    `cmd:"" help:"Write the installation into one file, while the server runs; or check such a file."`
	Restore   restoreCmd   `cmd:"" help:"Restore a backup into an empty data folder or database."`
	Postgres  postgresCmd  `cmd:"" help:"The private Postgres in DATA_DIR."`
	DB        dbCmd        `cmd:"" name:"db" help:"The database on several nodes."`
	Doctor    doctorCmd    `cmd:"" help:"Look for what is wrong with the installation, and say what to do about it."`
	Usage     usageCmd     `cmd:"" help:"Show what the installation takes on disks: database, tables, projects."`
	Version   versionCmd   `cmd:"" help:"Print the version, the commit, the schema of the database, and how it was built."`
	Call      callCmd      `cmd:"" help:"Call an operation of a running Errand at ERRAND_URL; errand call --list lists them."`
	Next      nextCmd      `cmd:"" help:"Take the next issue to work on and print its brief: the operation next_issue."`
}

type serveCmd struct {
	app.Config `embed:""`

	ShowToken bool `help:"Print a new admin token even without a terminal, as make run does; never as JSON."`
}

// preparedServer is a server that runs once the command line has been forgotten: its parser knows about a thousand flags, and would
// take 1.3 MB for as long as the server runs.
type preparedServer struct{ run func() error }

func (c *serveCmd) Run(ctx context.Context, prepared *preparedServer) error {
	prepared.run = func() error { return c.runServer(ctx) }
	return nil
}

func (c *serveCmd) runServer(ctx context.Context) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(app.MemoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(app.GarbagePercent)
	}
	log := c.NewLog()
	for name, meant := range app.FindMisspelled(os.Environ()) {
		log.Warn("a variable of the environment is not one of Errand's, but nearly: it has no effect",
			"variable", name, "probably_meant", meant)
	}
	go app.ReapOrphans(ctx)
	a, err := app.New(ctx, c.Config, version, log)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // stopped before it was ready
	}
	if err != nil {
		return err
	}
	defer a.Close(context.WithoutCancel(ctx))
	a.AnnounceServer()
	a.PrintReady(c.ShowToken)
	return a.Run(ctx)
}

type migrateCmd struct {
	app.Config `embed:""`
}

func (c *migrateCmd) Run(ctx context.Context) error { return app.Migrate(ctx, &c.Config, c.NewLog()) }

type settingsCmd struct {
	Show  settingsShowCmd  `cmd:"" default:"withargs" help:"Show the settings of the installation, with who set each, and those of a server."`
	Unset settingsUnsetCmd `cmd:"" help:"${help_unset}"`
}

type settingsShowCmd struct {
	app.Config `embed:""`
}

func (c *settingsShowCmd) Run(ctx context.Context) error {
	shown, err := app.ListSettings(ctx, &c.Config, c.NewLog())
	if err != nil {
		return err
	}
	if err := app.PrintSettings(os.Stdout, shown); err != nil {
		return err
	}
	return c.PrintServerSettings(os.Stdout)
}

type settingsUnsetCmd struct {
	app.Config `embed:""`

	Name string `arg:"" help:"The setting, such as RETENTION_DAYS."`
}

func (c *settingsUnsetCmd) Run(ctx context.Context) error {
	now, err := app.UnsetSetting(ctx, &c.Config, c.Name, version, c.NewLog())
	if err != nil {
		return err
	}
	return app.PrintSettings(os.Stdout, []app.ShownSetting{now})
}

type tokenCreateCmd struct {
	app.Config `embed:""`

	Name    string   `required:"" help:"Who will use it; shown as the holder of claims."`
	Scope   []string `required:"" enum:"issues:read,issues:write,releases:write,admin" help:"${help_scope}"`
	Project string   `help:"Public id or slug of the only app for which it may send deploys and source maps."`
}

func (c *tokenCreateCmd) Run(ctx context.Context) error {
	token, err := app.CreateToken(ctx, &c.Config, app.NewToken{Name: c.Name, Scopes: c.Scope, Project: c.Project}, c.NewLog())
	if err != nil {
		return err
	}
	fmt.Println(token)
	return nil
}

type deployCmd struct {
	client.Client       `embed:""`
	client.DeployReport `embed:""`
}

func (c *deployCmd) Run(ctx context.Context) error {
	reported, err := c.Send(ctx, c.Client, os.Stderr)
	if err != nil {
		return err
	}
	return client.PrintDeploy(os.Stdout, reported)
}

type sourceMapsUploadCmd struct {
	client.Client          `embed:""`
	client.SourceMapUpload `embed:""`
}

func (c *sourceMapsUploadCmd) Run(ctx context.Context) error {
	return c.Send(ctx, c.Client, os.Stdout)
}

type mcpConfigCmd struct {
	client.MCPConfig `embed:""`
}

func (c *mcpConfigCmd) Run() error { return c.Print(os.Stdout) }

type demoCmd struct {
	app.Config `embed:""`
}

func (c *demoCmd) Run(ctx context.Context) error {
	made, err := app.MakeDemo(ctx, &c.Config, c.NewLog())
	if err != nil {
		return err
	}
	return made.Print(os.Stdout)
}

type versionCmd struct{}

func (versionCmd) Run() error { return app.PrintVersion(os.Stdout, version) }

// longHelp are texts of --help that are too long for a tag.
var longHelp = kong.Vars{
	"help_unset": "Restore the default of a setting on every server. " +
		"A server that has it in its environment sets it again at its next start.",
	"help_passphrase_file": "A file with the passphrase that encrypts the keys in the backup; or the variable BACKUP_PASSPHRASE. " +
		"Without it the keys stay out.",
	"help_take_over": "The original is gone: keep its id and BASE_URL, use its BLOBS, and send webhooks and mails. Otherwise what is " +
		"restored is another installation, which sends nothing until you say so.",
	"help_permission": "What it may do, such as apps:read; repeat the flag or separate with commas: " + app.ListPermissions() + ".",
	"help_scope": "What it may do; repeat the flag or separate with commas: " +
		"issues:read, issues:write, releases:write, admin.",
}

func main() {
	ctx := untilSignal()
	unsetEmpty()
	args := os.Args[1:]
	commands := newCommands(args)
	parser := kong.Must(commands, kong.Name("errand"), longHelp,
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Vars(app.HelpVariables()),
		kong.Description("Errand is an error tracker for coding agents. Every flag of serve can be set in the environment too."))
	arrangeFlags(parser)
	if !isCall(args) {
		args = dropEmpty(args) // the server judges empty values in a call
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		reportMistake(parser, args, err)
	}
	var server preparedServer
	err = parsed.Run(&commands.Call.CallOptions, &server)
	switch {
	case err == nil && server.run != nil:
		runPrepared(server, chooseErrors(parsed))
		return
	case err == nil:
		return
	case errors.Is(err, client.ErrNoIssue): // the reason is already printed
	case exitCodeOf(err) == client.ExitUsage:
		textErrors.PrintError(addHelpLine(parsed, err))
	default:
		chooseErrors(parsed).PrintError(err)
	}
	os.Exit(exitCodeOf(err))
}

func runPrepared(server preparedServer, config *app.Config) {
	if err := server.run(); err != nil {
		config.PrintError(err)
		os.Exit(exitCodeOf(err))
	}
}

// untilSignal returns a context that the first SIGTERM or Ctrl-C ends, for an orderly stop. A second signal ends the
// process immediately, and its private Postgres with it.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(1)
	}()
	return ctx
}

// unsetEmpty removes Errand's variables with an empty value, which kong would take for a value.
func unsetEmpty() {
	for _, name := range app.ListVariables() {
		if strings.TrimSpace(os.Getenv(name)) == "" {
			_ = os.Unsetenv(name) // cannot fail for these names
		}
	}
}

// dropEmpty removes flags with an empty value, as in --addr= or --addr "".
func dropEmpty(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		isFlag := strings.HasPrefix(args[i], "--")
		switch {
		case isFlag && strings.Index(args[i], "=") == len(args[i])-1:
		case isFlag && i+1 < len(args) && args[i+1] == "":
			i++
		default:
			kept = append(kept, args[i])
		}
	}
	return kept
}
