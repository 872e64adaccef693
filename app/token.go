package app

import (
	"context"
	"encoding/json"
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
	var created core.Data[core.CreatedToken]
	err := atConsole(ctx, c, log, func(o console) error {
		scopes := make([]any, len(n.Scopes))
		for i, s := range n.Scopes {
			scopes[i] = s
		}
		input := map[string]any{"name": n.Name, "scopes": scopes}
		if n.Project != "" {
			input["project"] = n.Project
		}
		answer, failure := o.registry.Call(ctx, core.CreateToken.Operation, core.Call{Actor: core.NewBootstrapActor()}, input)
		if failure != nil {
			return failure
		}
		return json.Unmarshal(answer.Body, &created)
	})
	return created.Data.Value, err
}
