package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a client of MCP that people use: its packages with their versions, and how to try it. try gets the folder
// of the packages, and returns a text for the table.
type client struct {
	name string
	npm  []string
	pip  []string
	try  func(ctx context.Context, t *toolbox, s *server, dir string) (says string, err error)
}

const (
	sdk1         = "@modelcontextprotocol/sdk@1.32.2"
	clientAtMost = 3 * time.Minute
	mostWarnings = 20 // of the inspector
)

var clients = []client{
	{name: "TypeScript SDK 1.32", npm: []string{sdk1}, try: runNode("typescript1.mjs")},
	{name: "TypeScript SDK 2.4", npm: []string{"@modelcontextprotocol/client@2.4.0"}, try: runNode("typescript2.mjs")},
	{name: "Go SDK 1.8", try: tryGoSDK},
	{name: "Python mcp 1.30", pip: []string{"mcp==1.30.0"}, try: runPython("mcp1.py")},
	{name: "Python mcp 2.3", pip: []string{"mcp==2.3.0"}, try: runPython("mcp2.py")},
	{name: "fastmcp 4.1", pip: []string{"fastmcp==4.1.0"}, try: runPython("fastmcp4.py")},
	{name: "mcp-remote 0.15", npm: []string{"mcp-remote@0.15.1", sdk1}, try: runNode("remote.mjs")},
	{name: "Claude Code 2.1 (mcp add, mcp list)", npm: []string{"@anthropic-ai/claude-code@2.1.330"}, try: tryClaude},
	{name: "Gemini CLI 0.61 (mcp add, mcp list)", npm: []string{"@google/gemini-cli@0.61.0"}, try: tryGemini},
	{name: "MCP inspector 2.12 (--strict)", npm: []string{"@modelcontextprotocol/inspector@2.12.0"}, try: tryInspector},
}

func runClients(ctx context.Context, tools *toolbox, s *server) error {
	if err := s.makeIssues(ctx); err != nil {
		return fmt.Errorf("making issues: %w", err)
	}
	var rows []row
	for _, c := range clients {
		r := c.run(ctx, tools, s)
		printRow(r)
		rows = append(rows, r)
	}
	return summarize(rows)
}

// run installs the client and tries it.
func (c client) run(ctx context.Context, tools *toolbox, s *server) row {
	ctx, cancel := context.WithTimeout(ctx, clientAtMost)
	defer cancel()
	r, dir := row{name: c.name}, ""
	switch {
	case c.npm != nil:
		dir, r.err = tools.installNPM(ctx, c.npm...)
	case c.pip != nil:
		dir, r.err = tools.installPip(ctx, c.pip...)
	}
	if r.err == nil {
		r.says, r.err = c.try(ctx, tools, s, dir)
	}
	return r
}

// env is the environment of a client.
func (s *server) env() []string {
	return []string{"MCP_URL=" + s.url + "/mcp", "ERRAND_TOKEN=" + s.token}
}

// runNode runs a script beside the packages that it imports.
func runNode(script string) func(context.Context, *toolbox, *server, string) (string, error) {
	return func(ctx context.Context, t *toolbox, s *server, dir string) (string, error) {
		for _, name := range []string{"check.mjs", script} {
			text, err := os.ReadFile(filepath.Join("e2e/interop/clients", name))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
			}
			if err != nil {
				return "", err
			}
		}
		env := append(s.env(), "MCP_REMOTE="+filepath.Join(dir, "node_modules/mcp-remote/dist/proxy.js"))
		return t.runCommand(ctx, env, "node", filepath.Join(dir, script))
	}
}

// runPython runs a script with the packages of a virtual environment.
func runPython(script string) func(context.Context, *toolbox, *server, string) (string, error) {
	return func(ctx context.Context, t *toolbox, s *server, dir string) (string, error) {
		env := append(s.env(), "PYTHONDONTWRITEBYTECODE=1")
		return t.runCommand(ctx, env, filepath.Join(dir, "bin", "python"), filepath.Join("e2e/interop/clients", script))
	}
}

// withToken adds the bearer token to each request.
type withToken struct{ token string }

// RoundTrip sends the request.
func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultTransport.RoundTrip(r)
}

func tryGoSDK(ctx context.Context, _ *toolbox, s *server, _ string) (string, error) {
	transport := &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: withToken{s.token}}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = session.Close() }() // nothing is left to be sent
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	called, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "whoami"})
	if err != nil || called.IsError || !strings.Contains(fmt.Sprint(called.StructuredContent), tokenName) {
		return "", fmt.Errorf("whoami answers %+v: %w", called, err)
	}
	prompts, err := session.ListPrompts(ctx, nil)
	if err != nil {
		return "", err
	}
	first := &mcp.GetPromptParams{Name: prompts.Prompts[0].Name, Arguments: map[string]string{"project": "shop"}}
	if _, err := session.GetPrompt(ctx, first); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d tools, %d prompts", len(tools.Tools), len(prompts.Prompts)), nil
}

// tryListing adds the server to a program as a person would, in an empty home, and checks that its list shows it as connected.
func tryListing(ctx context.Context, t *toolbox, dir, command string, add []string) (string, error) {
	home, err := os.MkdirTemp("", "errand-interop-home-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "GEMINI_CLI_TRUST_WORKSPACE=true"}
	binary := filepath.Join(dir, "node_modules", ".bin", command)
	if _, err := t.runCommand(ctx, env, binary, add...); err != nil {
		return "", fmt.Errorf("%s mcp add: %w", command, err)
	}
	listed, err := t.runCommand(ctx, env, binary, "mcp", "list")
	for line := range strings.Lines(listed) {
		if strings.Contains(line, "errand:") && strings.HasSuffix(strings.TrimSpace(line), "Connected") {
			return "connected", err
		}
	}
	return "", fmt.Errorf("%s mcp list says: %s: %w", command, listed, errors.Join(err, ctx.Err()))
}

func tryClaude(ctx context.Context, t *toolbox, s *server, dir string) (string, error) {
	return tryListing(ctx, t, dir, "claude", []string{"mcp", "add", "--transport", "http", "--scope", "user", "errand", s.url + "/mcp",
		"--header", "Authorization: Bearer " + s.token})
}

func tryGemini(ctx context.Context, t *toolbox, s *server, dir string) (string, error) {
	return tryListing(ctx, t, dir, "gemini", []string{"mcp", "add", "--scope", "user", "--transport", "http",
		"--header", "Authorization: Bearer " + s.token, "errand", s.url + "/mcp"})
}

// strictCount finds the counts in the inspector's output.
var strictCount = regexp.MustCompile(`(\d+) errors?, (\d+) warnings?`)

// tryInspector lets the inspector check the tools as strictly as it can.
func tryInspector(ctx context.Context, t *toolbox, s *server, dir string) (string, error) {
	says, err := t.runCommand(ctx, []string{"MCP_STORAGE_DIR=" + dir}, filepath.Join(dir, "node_modules", ".bin", "mcp-inspector"),
		"--cli", s.url+"/mcp", "--transport", "http", "--header", "Authorization: Bearer "+s.token, "--method", "tools/list", "--strict")
	counted := strictCount.FindStringSubmatch(says)
	switch {
	case counted == nil && err == nil && strings.Contains(says, `"inputSchema"`): // it prints counts only if there is something to count
		return "0 errors, 0 warnings", nil
	case counted == nil:
		return "", fmt.Errorf("it counts nothing: %w", errors.Join(err, ctx.Err()))
	case counted[1] != "0" || err != nil:
		return "", errors.New(counted[0])
	}
	if warnings, err := strconv.Atoi(counted[2]); err != nil || warnings >= mostWarnings {
		return "", fmt.Errorf("%s; fewer than %d are allowed", counted[0], mostWarnings)
	}
	return counted[0], nil
}
