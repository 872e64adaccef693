package app

import (
	"context"
	"log/slog"

	"errand/core"
)

// NewToken is a token that a person at the server's console requests.
type NewToken struct {
	Name    string
	Scopes  []string
	Project string
}

// CreateToken creates a token as the bootstrap admin and returns its value: `errand token create`. It also works beside a running server.
func CreateToken(ctx context.Context, c *Config, n NewToken, log *slog.Logger) (string, error) {
	input := map[string]any{"name": n.Name, "scopes": toItems(n.Scopes)}
	if n.Project != "" {
		input["project"] = n.Project
	}
	created, err := askConsole(ctx, c, log, func(o console) (core.Data[core.CreatedToken], error) {
		return callOperation[core.Data[core.CreatedToken]](ctx, o, core.CreateToken.Operation, input)
	})
	return created.Data.Value, err
}
