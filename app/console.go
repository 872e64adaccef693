package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"

	"errand/core"
	"errand/grouping"
	"errand/passwords"
	"errand/tools"
	"errand/tools/manage"
)

// console is what a command works with: the operations on the database of the installation.
type console struct {
	db         *database
	tools      *tools.Tools
	management *manage.Handlers
	registry   *core.Registry
}

// askConsole is atConsole for a command with an answer.
func askConsole[T any](ctx context.Context, c *Config, log *slog.Logger, ask func(console) (T, error)) (answer T, err error) {
	err = atConsole(ctx, c, log, func(o console) error {
		answer, err = ask(o)
		return err
	})
	return answer, err
}

// atConsole runs a command on the database. It also works beside a running server.
func atConsole(ctx context.Context, c *Config, log *slog.Logger, command func(console) error) error {
	if err := c.findInstallation(ctx, log); err != nil {
		return err
	}
	c.consoleURL = cmp.Or(c.settings["BASE_URL"], c.findRunningURL())
	ending := stops{log: log}
	defer func() { ending.runAllLogged(context.WithoutCancel(ctx)) }()
	db, err := attachDatabase(ctx, c, log, &ending)
	if err != nil {
		return err
	}
	if err := db.prepareForCommand(ctx, c, log); err != nil {
		return err
	}
	if _, err := db.LoadSettings(ctx); err != nil {
		return err
	}
	behaviour := tools.New(tools.Options{Store: db.Store, Random: rand.Reader, SCMHost: c.SCMHost, FindStoredType: grouping.FindStoredType})
	registry, err := behaviour.Registry(log)
	if err != nil {
		return err
	}
	return command(console{db, behaviour, newManagement(db, behaviour, passwords.New(passwords.Recommended)), registry})
}

// callOperation calls an operation as the bootstrap admin, with an input as a client would send it.
func callOperation[T any](ctx context.Context, o console, op *core.Operation, input map[string]any) (output T, err error) {
	answer, failure := o.registry.Call(ctx, op, core.Call{Actor: core.NewBootstrapActor()}, input)
	if failure != nil {
		return output, failure
	}
	return output, json.Unmarshal(answer.Body, &output)
}

// toItems returns the words as the items of a list in JSON.
func toItems[T ~string](words []T) []any {
	items := make([]any, len(words))
	for i, word := range words {
		items[i] = string(word)
	}
	return items
}
