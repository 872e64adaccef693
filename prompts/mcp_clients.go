package prompts

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// MCPClient is a program in which agents run, by the name under which errand mcp-config knows it.
type MCPClient string

// The clients whose entries can be written.
const (
	ClaudeCode MCPClient = "claude-code"
	Codex      MCPClient = "codex"
	Cursor     MCPClient = "cursor"
	VSCode     MCPClient = "vscode"
	Gemini     MCPClient = "gemini"
)

// MCPClients are all of them.
var MCPClients = []MCPClient{ClaudeCode, Codex, Cursor, VSCode, Gemini}

// tokenVariable is the variable of the environment in which a client finds its token.
const tokenVariable = "ERRAND_TOKEN"

// MCPEndpoint is the server that an entry names.
type MCPEndpoint struct {
	BaseURL string // the public URL of the server
	Project string // the slug or id of the default project; empty for none
	// SignsIn says that the client signs in by the URL alone. Without it the entry takes a token from ERRAND_TOKEN.
	SignsIn bool
}

// URL returns what the client connects to.
func (e MCPEndpoint) URL() string {
	address := strings.TrimSuffix(e.BaseURL, "/") + "/mcp"
	if e.Project != "" {
		address += "?" + url.Values{"project": {e.Project}}.Encode()
	}
	return address
}

// MCPEntry is what a person puts into a client.
type MCPEntry struct {
	Command string // that adds the server; empty where the client has none
	File    string // in which the entry stands
	Text    string // the entry itself
}

// MakeMCPEntry returns the entry of a server for a client. It holds no token: the client reads it from ERRAND_TOKEN, or asks
// for it.
func MakeMCPEntry(client MCPClient, e MCPEndpoint) (MCPEntry, error) {
	switch client {
	case ClaudeCode:
		entry := MCPEntry{File: ".mcp.json", Command: "claude mcp add --transport http errand " + quoteWord(e.URL())}
		if !e.SignsIn {
			entry.Command += ` --header "Authorization: Bearer $` + tokenVariable + `"`
		}
		entry.Text = writeServers("mcpServers", e.server("url", "${"+tokenVariable+"}", "http"))
		return entry, nil
	case Codex:
		entry := MCPEntry{
			File: "~/.codex/config.toml", Command: "codex mcp add errand --url " + quoteWord(e.URL()),
			Text: "[mcp_servers.errand]\nurl = " + strconv.Quote(e.URL()) + "\n",
		}
		if !e.SignsIn {
			entry.Command += " --bearer-token-env-var " + tokenVariable
			entry.Text += "bearer_token_env_var = " + strconv.Quote(tokenVariable) + "\n"
		}
		return entry, nil
	case Cursor:
		return MCPEntry{File: ".cursor/mcp.json", Text: writeServers("mcpServers", e.server("url", "${env:"+tokenVariable+"}", ""))}, nil
	case VSCode:
		return MCPEntry{File: ".vscode/mcp.json", Text: e.writeForVSCode()}, nil
	case Gemini:
		entry := MCPEntry{File: ".gemini/settings.json", Command: "gemini mcp add --transport http errand " + quoteWord(e.URL())}
		if !e.SignsIn {
			entry.Command += ` --header "Authorization: Bearer $` + tokenVariable + `"`
		}
		entry.Text = writeServers("mcpServers", e.server("httpUrl", "$"+tokenVariable, ""))
		return entry, nil
	}
	names := make([]string, len(MCPClients))
	for i, known := range MCPClients {
		names[i] = string(known)
	}
	return MCPEntry{}, fmt.Errorf("client must be one of %s: %q is not", strings.Join(names, ", "), client)
}

// mcpServer is the entry of a server in the JSON files of clients. They differ in names alone.
type mcpServer struct {
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	HTTPURL string            `json:"httpUrl,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func (e MCPEndpoint) server(urlField, token, kind string) mcpServer {
	s := mcpServer{Type: kind, URL: e.URL()}
	if urlField == "httpUrl" {
		s.URL, s.HTTPURL = "", e.URL()
	}
	if !e.SignsIn {
		s.Headers = map[string]string{"Authorization": "Bearer " + token}
	}
	return s
}

// writeForVSCode writes the entry of VS Code, which asks the person for the token once and keeps it.
func (e MCPEndpoint) writeForVSCode() string {
	type input struct {
		Type        string `json:"type"`
		ID          string `json:"id"`
		Description string `json:"description"`
		Password    bool   `json:"password"`
	}
	file := struct {
		Inputs  []input              `json:"inputs,omitempty"`
		Servers map[string]mcpServer `json:"servers"`
	}{Servers: map[string]mcpServer{"errand": e.server("url", "${input:errand-token}", "http")}}
	if !e.SignsIn {
		file.Inputs = []input{{"promptString", "errand-token", "Token of Errand (ck_...)", true}}
	}
	return writeIndented(file)
}

func writeServers(field string, s mcpServer) string {
	return writeIndented(map[string]map[string]mcpServer{field: {"errand": s}})
}

func writeIndented(file any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file); err != nil {
		panic(fmt.Sprintf("prompts: an entry for a client: %v", err)) // it is made of texts
	}
	return b.String()
}

// quoteWord writes a URL as one word of a shell.
func quoteWord(text string) string {
	if strings.ContainsAny(text, "?&$'\" ;|<>()`\\*") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
