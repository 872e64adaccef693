package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"errand/core"
	"errand/core/manage"
)

// ListPermissions returns the permissions that an API key can have, for the help.
func ListPermissions() string { return manage.ListPermissions() }

// CreateAPIKey creates an API key as the bootstrap admin and returns its value: `errand api-key create`. Like the
// other commands about keys, it also works beside a running server.
func CreateAPIKey(ctx context.Context, c *Config, name string, permissions []string, log *slog.Logger) (core.Secret, error) {
	allowed, err := manage.ReadPermissions(permissions)
	if err != nil {
		return "", err
	}
	input := map[string]any{"name": name, "permissions": toItems(allowed)}
	created, err := askConsole(ctx, c, log, func(o console) (core.Data[core.CreatedAPIKey], error) {
		return callOperation[core.Data[core.CreatedAPIKey]](ctx, o, core.CreateAPIKey.Operation, input)
	})
	return core.Secret(created.Data.Value), err
}

// ListAPIKeys returns all API keys, most recent first: `errand api-key list`.
func ListAPIKeys(ctx context.Context, c *Config, log *slog.Logger) ([]core.APIKey, error) {
	return askConsole(ctx, c, log, func(o console) ([]core.APIKey, error) {
		return o.db.ListAPIKeys(ctx)
	})
}

// RevokeAPIKey revokes an API key: `errand api-key revoke`.
func RevokeAPIKey(ctx context.Context, c *Config, id int64, log *slog.Logger) error {
	return atConsole(ctx, c, log, func(o console) error {
		err := o.db.RevokeAPIKey(ctx, core.NewBootstrapActor(), id)
		if core.HasCode(err, core.NotFound) {
			return fmt.Errorf("there is no API key %d that is valid: errand api-key list shows them", id)
		}
		return err
	})
}

// PrintAPIKeys writes API keys as a table whose lines begin with the id.
func PrintAPIKeys(w io.Writer, keys []core.APIKey) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tNAME\tKEY\tPERMISSIONS\tCREATED AT\tLAST USED AT\tREVOKED AT")
	for _, key := range keys {
		words := make([]string, len(key.Permissions))
		for i, permission := range key.Permissions {
			words[i] = string(permission)
		}
		_, _ = fmt.Fprintf(table, "%d\t%s\t%s...\t%s\t%s\t%s\t%s\n", key.ID, key.Name, key.Prefix, strings.Join(words, ","),
			printTime(key.CreatedAt), cmp.Or(printTime(key.LastUsedAt), "never"), cmp.Or(printTime(key.RevokedAt), "-"))
	}
	return table.Flush()
}

// printTime writes a time in the form of the API, and nothing for the zero time.
func printTime(t core.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(core.TimeLayout)
}
