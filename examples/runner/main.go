// Command runner is a small agent runner: Errand calls it by webhook, and it starts a coding agent. For each issue it checks the
// signature, claims the issue, hands the brief to your command, and links the fix that the command names. It is an example to
// start from, with only the standard library; docs/runner.md explains its setup.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// config holds the flags and the environment of the runner.
type config struct {
	listen      string
	certificate string // TLS files; empty for none, behind a proxy
	key         string
	folder      string // keeps deliveries until they are done
	events      []string
	takesLow    bool // also issues whose events anybody can send
	parallel    int
	waiting     int // deliveries that may wait for a free place
	minutes     int // of a claim; it is renewed long before its end
	timeout     time.Duration
	worker      string // the holder of the claims, among runners that share the token

	errandURL string
	token     string
	secret    string
	command   []string
}

const usage = `usage: runner [flags] -- command [argument ...]

The command gets the brief on its standard input. The last line that it prints is the commit or the URL of the pull request
that fixes the issue, or else a sentence that says why there is none.

environment:
  ERRAND_URL             URL of Errand, such as https://errand.example
  ERRAND_TOKEN           a token with issues:read and issues:write
  ERRAND_WEBHOOK_SECRET  secret of the webhook, whsec_...

flags:
`

// knownEvents are the events that mean work. Other events are answered and ignored.
var knownEvents = []string{"issue.new", "issue.regressed", "issue.spike"}

// readConfig reads flags and environment. Its errors name the setting to change.
func readConfig(args []string, environment func(string) string, out io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("runner", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&c.listen, "listen", "127.0.0.1:9000", "listen address")
	flags.StringVar(&c.certificate, "tls-cert", "", "certificate file; without one, have a proxy in front that speaks https")
	flags.StringVar(&c.key, "tls-key", "", "key file of the certificate")
	flags.StringVar(&c.folder, "state", "runner-state", "folder in which taken deliveries stay until they are done")
	events := flags.String("events", "issue.new,issue.regressed", "events that start work: a comma list")
	flags.BoolVar(&c.takesLow, "low-trust", false, "also work on issues whose events anybody can send")
	flags.IntVar(&c.parallel, "parallel", 1, "issues that are worked on at the same time")
	flags.IntVar(&c.waiting, "waiting", 100, "issues that may wait; further ones are sent again later")
	flags.IntVar(&c.minutes, "claim-minutes", 15, "how long a claim lasts; it is renewed while the command runs")
	flags.StringVar(&c.worker, "worker", "", "name of this runner in its claims; by default one that it makes up and keeps in -state")
	flags.DurationVar(&c.timeout, "timeout", time.Hour, "how long the command may take")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	c.events = strings.Split(*events, ",")
	c.errandURL = strings.TrimRight(environment("ERRAND_URL"), "/")
	c.token, c.secret, c.command = environment("ERRAND_TOKEN"), environment("ERRAND_WEBHOOK_SECRET"), flags.Args()
	return c, c.checkAll()
}

func (c *config) checkAll() error {
	base, err := url.Parse(c.errandURL)
	switch {
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return errors.New("ERRAND_URL must be the URL of Errand, such as https://errand.example")
	case c.token == "":
		return errors.New("ERRAND_TOKEN must be a token with issues:read and issues:write")
	case !strings.HasPrefix(c.secret, "whsec_"):
		return errors.New("ERRAND_WEBHOOK_SECRET must be the secret of the webhook, which begins with whsec_")
	case len(c.command) == 0:
		return errors.New("name the command that works on an issue, after --")
	case c.parallel < 1 || c.waiting < 0 || c.minutes < 1 || c.minutes > 1440 || c.timeout <= 0:
		return errors.New("-parallel must be at least 1, -waiting at least 0, -claim-minutes 1 to 1440, -timeout more than 0s")
	case len(c.worker) > maxWorker:
		return fmt.Errorf("-worker must be at most %d bytes long", maxWorker)
	case (c.certificate == "") != (c.key == ""):
		return errors.New("-tls-cert and -tls-key go together")
	}
	for _, event := range c.events {
		if !slices.Contains(knownEvents, event) {
			return fmt.Errorf("-events must be a comma list of %s: %q is none of them", strings.Join(knownEvents, ", "), event)
		}
	}
	return nil
}

func main() {
	c, err := readConfig(os.Args[1:], os.Getenv, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal ends the process immediately
		err = serveWebhooks(ctx, c, log)
	}
	if err != nil {
		log.Error("the runner stops", "error", err)
		os.Exit(1) //nolint:gocritic // nothing is left to do
	}
}

// serveWebhooks takes deliveries and works on them until ctx ends. Then it stops the running commands and releases their issues;
// unfinished deliveries stay in the folder for the next start.
func serveWebhooks(ctx context.Context, c config, log *slog.Logger) error {
	r, err := newRunner(c, log)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.listen)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	server := &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second}
	log.Info("waiting for webhooks", "address", listener.Addr().String(), "tls", c.certificate != "")
	failed := make(chan error, 1)
	go func() {
		if c.certificate != "" {
			failed <- server.ServeTLS(listener, c.certificate, c.key)
		} else {
			failed <- server.Serve(listener)
		}
	}()
	var working sync.WaitGroup
	workCtx, stopWork := context.WithCancel(ctx)
	defer stopWork()
	for range c.parallel {
		working.Go(func() { r.workOn(workCtx) })
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
		answering, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = server.Shutdown(answering)
		cancel()
	}
	stopWork()
	working.Wait()
	return err
}
