package client

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"errand/prompts"
)

// MCPConfig is the input of errand mcp-config.
type MCPConfig struct {
	Client  string `required:"" help:"claude-code, codex, cursor, vscode or gemini."`
	Project string `help:"Slug or public id of the project for calls that name none. It limits nothing: a token made with only_project does."`
	URL     string `name:"url" env:"ERRAND_URL" help:"Where Errand runs; http://127.0.0.1:8080 when not set."`
	SignIn  bool   `help:"Let the client sign in with a browser instead of a token from ERRAND_TOKEN."`
}

// Print writes the client's entry for the server, and where it belongs.
func (c MCPConfig) Print(w io.Writer) error {
	endpoint := prompts.MCPEndpoint{BaseURL: cmp.Or(c.URL, "http://127.0.0.1:8080"), Project: c.Project, SignsIn: c.SignIn}
	if !strings.HasPrefix(endpoint.BaseURL, "http://") && !strings.HasPrefix(endpoint.BaseURL, "https://") {
		return errors.New("ERRAND_URL must be a URL such as https://errors.example")
	}
	entry, err := prompts.MakeMCPEntry(prompts.MCPClient(strings.ToLower(c.Client)), endpoint)
	if err != nil {
		return err
	}
	if entry.Command != "" {
		if _, err := fmt.Fprintf(w, "# In a terminal:\n%s\n\n# Or in %s:\n", entry.Command, entry.File); err != nil {
			return err
		}
	} else if _, err := fmt.Fprintf(w, "# In %s:\n", entry.File); err != nil {
		return err
	}
	_, err = io.WriteString(w, entry.Text)
	return err
}
