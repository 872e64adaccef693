package prompts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"errand/core"
)

// MCPClient is a program that runs agents, under its name in errand mcp-config.
type MCPClient string

// The clients whose entries Errand can write.
const (
	ClaudeCode MCPClient = "claude-code"
	Codex      MCPClient = "codex"
	Cursor     MCPClient = "cursor"
	VSCode     MCPClient = "vscode"
	Gemini     MCPClient = "gemini"
)

// MCPClients are all of them.
var MCPClients = []MCPClient{ClaudeCode, Codex, Cursor, VSCode, Gemini}

var clientTitles = map[MCPClient]string{
	ClaudeCode: "Claude Code", Codex: "Codex", Cursor: "Cursor", VSCode: "VS Code", Gemini: "Gemini CLI",
}

// Title returns the name that people use for the client.
func (c MCPClient) Title() string { return clientTitles[c] }

// The variables of the environment for a client's token, and for Codex's setup key, which it reads from nowhere else.
const (
	tokenVariable    = "ERRAND_TOKEN"
	setupKeyVariable = "ERRAND_SETUP_KEY"
)

// MCPEndpoint is the server in an entry.
type MCPEndpoint struct {
	BaseURL string // the public URL of the server
	Project string // the slug or id of the default project; empty for none
	// SignsIn says that the client signs in by the URL alone. Otherwise the entry takes a token from ERRAND_TOKEN.
	SignsIn bool
	// SetupKey, if set, stands in the entry itself, since it lasts only an hour. Such an entry is a second server
	// beside the one for the work, and goes into no file of a repository.
	SetupKey core.Secret
}

func (e MCPEndpoint) name() string {
	if e.SetupKey != "" {
		return "errand-setup"
	}
	return "errand"
}

// bearer returns the value for the header Authorization: the setup key, or the client's syntax for the variable.
func (e MCPEndpoint) bearer(variable string) string {
	return "Bearer " + cmp.Or(e.SetupKey.Reveal(), variable)
}

// command returns the command that adds the server, for clients with such a command.
func (e MCPEndpoint) command(begin string) string {
	line := begin + " " + e.name() + " " + quoteWord(e.URL())
	if !e.SignsIn {
		line += ` --header "Authorization: ` + e.bearer("$"+tokenVariable) + `"`
	}
	return line
}

// URL returns the URL that the client connects to.
func (e MCPEndpoint) URL() string {
	address := strings.TrimSuffix(e.BaseURL, "/") + "/mcp"
	if e.Project != "" {
		address += "?" + url.Values{"project": {e.Project}}.Encode()
	}
	return address
}

// MCPEntry is what a person adds to a client.
type MCPEntry struct {
	Command string // adds the server; empty if the client has no such command
	File    string // contains the entry
	Text    string // the entry itself
}

// MakeMCPEntry returns a client's entry for a server. It contains no token: the client reads it from ERRAND_TOKEN, or asks for it.
func MakeMCPEntry(client MCPClient, e MCPEndpoint) (MCPEntry, error) {
	switch client {
	case ClaudeCode:
		return MCPEntry{
			File: ".mcp.json", Command: e.command("claude mcp add --transport http"),
			Text: e.writeServers(e.server("url", "${"+tokenVariable+"}", "http")),
		}, nil
	case Codex:
		return e.makeForCodex(), nil
	case Cursor:
		return MCPEntry{File: e.inHome(".cursor/mcp.json"), Text: e.writeServers(e.server("url", "${env:"+tokenVariable+"}", ""))}, nil
	case VSCode:
		return e.makeForVSCode(), nil
	case Gemini:
		begin := "gemini mcp add --transport http"
		if e.SetupKey != "" {
			begin = "gemini mcp add --scope user --transport http"
		}
		return MCPEntry{
			File: e.inHome(".gemini/settings.json"), Command: e.command(begin),
			Text: e.writeServers(e.server("httpUrl", "$"+tokenVariable, "")),
		}, nil
	}
	names := make([]string, len(MCPClients))
	for i, known := range MCPClients {
		names[i] = string(known)
	}
	return MCPEntry{}, fmt.Errorf("client must be one of %s: %q is not", strings.Join(names, ", "), client)
}

// mcpServer is the entry of a server in the JSON files of clients, which differ only in names.
type mcpServer struct {
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	HTTPURL string            `json:"httpUrl,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func (e MCPEndpoint) server(urlField, variable, kind string) mcpServer {
	s := mcpServer{Type: kind, URL: e.URL()}
	if urlField == "httpUrl" {
		s.URL, s.HTTPURL = "", e.URL()
	}
	if !e.SignsIn {
		s.Headers = map[string]string{"Authorization": e.bearer(variable)}
	}
	return s
}

// inHome returns the person's file instead of the repository's if the entry contains a secret.
func (e MCPEndpoint) inHome(file string) string {
	if e.SetupKey != "" {
		return "~/" + file
	}
	return file
}

func (e MCPEndpoint) makeForCodex() MCPEntry {
	entry := MCPEntry{
		File: "~/.codex/config.toml", Command: "codex mcp add " + e.name() + " --url " + quoteWord(e.URL()),
		Text: "[mcp_servers." + e.name() + "]\nurl = " + strconv.Quote(e.URL()) + "\n",
	}
	if e.SignsIn {
		return entry
	}
	variable := tokenVariable
	if e.SetupKey != "" {
		variable = setupKeyVariable
		entry.Command = "export " + variable + "=" + e.SetupKey.Reveal() + "; " + entry.Command
	}
	entry.Command += " --bearer-token-env-var " + variable
	entry.Text += "bearer_token_env_var = " + strconv.Quote(variable) + "\n"
	return entry
}

// makeForVSCode writes the entry for VS Code, which asks the person for the token once and keeps it. Its command cannot ask.
func (e MCPEndpoint) makeForVSCode() MCPEntry {
	type input struct {
		Type        string `json:"type"`
		ID          string `json:"id"`
		Description string `json:"description"`
		Password    bool   `json:"password"`
	}
	server := e.server("url", "${input:errand-token}", "http")
	file := struct {
		Inputs  []input              `json:"inputs,omitempty"`
		Servers map[string]mcpServer `json:"servers"`
	}{Servers: map[string]mcpServer{e.name(): server}}
	entry := MCPEntry{File: ".vscode/mcp.json"}
	if e.SignsIn || e.SetupKey != "" {
		named := struct {
			Name string `json:"name"`
			mcpServer
		}{e.name(), server}
		entry.Command = "code --add-mcp " + quoteWord(writeJSON(named, ""))
	} else {
		file.Inputs = []input{{"promptString", "errand-token", "Token of Errand (ck_...)", true}}
	}
	entry.Text = writeJSON(file, "  ") + "\n"
	return entry
}

func (e MCPEndpoint) writeServers(s mcpServer) string {
	return writeJSON(map[string]map[string]mcpServer{"mcpServers": {e.name(): s}}, "  ") + "\n"
}

func writeJSON(value any, indent string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("prompts: an entry for a client: %v", err)) // it consists of texts
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoteWord writes a URL as one word of a shell.
func quoteWord(text string) string {
	if strings.ContainsAny(text, "?&$'\" ;|<>()`\\*") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
