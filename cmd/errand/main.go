// Command errand is the server and its few tools. It parses flags and the environment, and runs a subcommand.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"

	"errand/app"
)

// version is set by the build (-ldflags -X main.version=...).
var version = "dev"

type cli struct {
	Serve   serveCmd   `cmd:"" help:"Run the server."`
	Migrate migrateCmd `cmd:"" help:"Bring the database schema up to date, and end."`
	Token   struct {
		Create tokenCreateCmd `cmd:"" help:"Create an API token and print it."`
	} `cmd:"" help:"API tokens."`
	Demo    demoCmd    `cmd:"" help:"Fill a demo project with examples, to look around in."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

type serveCmd struct {
	app.Config `embed:""`
}

func (c *serveCmd) Run(ctx context.Context) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(app.MemoryLimit)
	}
	a, err := app.New(ctx, c.Config, version, c.NewLog())
	if err != nil {
		return err
	}
	defer a.Close(context.WithoutCancel(ctx))
	fmt.Printf("Errand is ready at %s (API page: %s/docs, MCP: %s/mcp)\n", a.URL(), a.URL(), a.URL())
	switch {
	case a.FreshToken != "":
		fmt.Printf("Admin token: %s\n  It is shown this once and kept in %s/admin-token.\n", a.FreshToken.Reveal(), a.DataDir())
	case a.DataDir() != "":
		fmt.Printf("Admin token: in %s/admin-token, unless ADMIN_TOKEN is set\n", a.DataDir())
	}
	return a.Run(ctx)
}

type migrateCmd struct {
	app.Config `embed:""`
}

func (c *migrateCmd) Run(ctx context.Context) error { return app.Migrate(ctx, &c.Config, c.NewLog()) }

type tokenCreateCmd struct {
	app.Config `embed:""`

	Name    string   `required:"" help:"Who will use it; shown as the holder of claims."`
	Scope   []string `required:"" enum:"issues:read,issues:write,releases:write,admin" help:"What it may do; repeat the flag or separate with commas: issues:read, issues:write, releases:write, admin."`
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

func (versionCmd) Run() error {
	fmt.Println("errand", version)
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Println(info.GoVersion)
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var commands cli
	parsed := kong.Parse(&commands, kong.Name("errand"), kong.UsageOnError(), kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Description("Errand is an error tracker for coding agents. Every flag of serve can be set in the environment too."))
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "errand:", err)
		stop()
		os.Exit(1)
	}
}
