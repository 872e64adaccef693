package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"

	"errand/core"
	"errand/tools"
)

// NewToken is a token that a person at the server's console asks for.
type NewToken struct {
	Name    string
	Scopes  []string
	Project string
}

// CreateToken creates a token as the bootstrap admin and gives its value: `errand token create`. It works beside a
// running server too.
func CreateToken(ctx context.Context, c *Config, n NewToken, log *slog.Logger) (string, error) {
	if err := c.Complete(); err != nil {
		return "", err
	}
	db, err := attachDatabase(ctx, c, log)
	if err != nil {
		return "", err
	}
	defer db.close(context.WithoutCancel(ctx))
	if err := db.prepare(ctx, c, log); err != nil {
		return "", err
	}
	registry, err := tools.New(tools.Options{Store: db.Store, BaseURL: c.BaseURL, Random: rand.Reader}).Registry(log)
	if err != nil {
		return "", err
	}
	scopes := make([]any, len(n.Scopes))
	for i, s := range n.Scopes {
		scopes[i] = s
	}
	input := map[string]any{"name": n.Name, "scopes": scopes}
	if n.Project != "" {
		input["project"] = n.Project
	}
	body, failure := registry.Call(ctx, core.CreateToken.Operation, core.Call{Actor: core.Bootstrap()}, input)
	if failure != nil {
		return "", failure
	}
	var created core.Data[core.CreatedToken]
	err = json.Unmarshal(body, &created)
	return created.Data.Value, err
}
