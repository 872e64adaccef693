package app

import (
	"context"
	"crypto/rand"
	_ "embed"
	"io"
	"log/slog"
	"net/url"
	"text/template"
	"time"

	"errand/core"
	"errand/demo"
	"errand/ingest"
)

// Demo is the demo project after `errand demo`.
type Demo struct {
	Project core.ListedProject
	BaseURL string
	demo.Summary
}

// MakeDemo makes the demo project and fills it, through the way that events take in a server: `errand demo`. It works
// beside a running server too. Where the project is already, it adds what is missing.
func MakeDemo(ctx context.Context, c *Config, log *slog.Logger) (made Demo, err error) {
	err = atConsole(ctx, c, log, func(o console) (err error) {
		made.BaseURL = o.db.Settings().BaseURL
		if made.Project, err = o.tools.DemoProject(ctx, core.Bootstrap()); err != nil {
			return err
		}
		key, err := loadUserHashKey(ctx, o.db.Store)
		if err != nil {
			return err
		}
		way := ingest.New(ingest.Options{Store: o.db.Store, Clock: time.Now, Random: rand.Reader, InstallKey: key, Log: log})
		defer way.Close()
		made.Summary, err = demo.FillProject(ctx,
			demo.Options{Registry: o.registry, Ingest: way.Handler(), Clock: time.Now, Project: made.Project})
		return err
	})
	return made, err
}

//go:embed demo.txt
var demoText string

var demoPage = template.Must(template.New("demo").Parse(demoText))

// Print writes what was made, and what to try next.
func (d Demo) Print(w io.Writer) error { return demoPage.Execute(w, d) }

// Key is the key of the project's first DSN.
func (d Demo) Key() string {
	dsn, err := url.Parse(d.Project.DSNs[0])
	if err != nil {
		return ""
	}
	return dsn.User.Username()
}
