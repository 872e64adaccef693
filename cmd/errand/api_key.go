package main

import (
	"context"
	"fmt"
	"os"

	"errand/app"
)

// apiKeyCmd has the commands about API keys.
type apiKeyCmd struct {
	Create apiKeyCreateCmd `cmd:"" help:"Create an API key and print it."`
	List   apiKeyListCmd   `cmd:"" help:"List all API keys, most recent first, without their values."`
	Revoke apiKeyRevokeCmd `cmd:"" help:"Revoke an API key at once, on every server."`
}

type apiKeyCreateCmd struct {
	app.Config `embed:""`

	Name       string   `required:"" help:"Who will use it; shown in the timeline."`
	Permission []string `required:"" help:"${help_permission}"`
}

func (c *apiKeyCreateCmd) Run(ctx context.Context) error {
	key, err := app.CreateAPIKey(ctx, &c.Config, c.Name, c.Permission, c.NewLog())
	if err != nil {
		return err
	}
	fmt.Println(key.Reveal())
	return nil
}

type apiKeyListCmd struct {
	app.Config `embed:""`
}

func (c *apiKeyListCmd) Run(ctx context.Context) error {
	keys, err := app.ListAPIKeys(ctx, &c.Config, c.NewLog())
	if err != nil {
		return err
	}
	return app.PrintAPIKeys(os.Stdout, keys)
}

type apiKeyRevokeCmd struct {
	app.Config `embed:""`

	ID int64 `arg:"" help:"The id, as errand api-key list shows it."`
}

func (c *apiKeyRevokeCmd) Run(ctx context.Context) error {
	return app.RevokeAPIKey(ctx, &c.Config, c.ID, c.NewLog())
}
