package web

import (
	"fmt"

	"errand/core"
)

// issueAgentPath is the page that shows what an agent sees of an issue.
const issueAgentPath = "/issues/{id}/agent"

// agentForm is that page.
type agentForm struct {
	ID       int64
	Path     string
	Title    core.Untrusted
	Tokens   int
	Bytes    int
	Markdown string
	Lines    []agentLine
	Connect  []agentLine
	Address  string // of the brief for who has a token
}

// agentLine is a line to give to one kind of agent.
type agentLine struct{ Name, Line string }

// makeAgentPart makes what the page of an issue says to agents.
func (v *visit) makeAgentPart(id int64) *agentPart {
	path := issueAddress{id, nil}.path("")
	return &agentPart{v.askAgent(id), path + "/agent", path + "/brief"}
}

// askAgent is what one tells an agent that has Errand's tools.
func (v *visit) askAgent(id int64) string {
	return fmt.Sprintf("Fix issue %d of Errand: %s/issues/%d", id, v.BaseURL(), id)
}

// showAgentView shows the brief of an issue exactly, and how to hand the issue to an agent.
func (s *Site) showAgentView(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	found, err := callOperation(v, core.GetBrief, map[string]any{"id": id})
	if err != nil {
		return err
	}
	brief, ask, base := &found.Data, v.askAgent(id), s.BaseURL()
	return v.show("issue_agent", fmt.Sprintf("What an agent sees of issue %d", id), agentForm{
		ID: id, Path: issueAddress{id, nil}.path(""), Title: brief.JSON.Issue.Title, Markdown: brief.Markdown,
		Tokens: core.CountTokens(brief.Markdown), Bytes: len(brief.Markdown),
		Lines: []agentLine{
			{"Claude Code", `claude "` + ask + `"`}, {"Codex", `codex "` + ask + `"`}, {"Gemini CLI", `gemini -i "` + ask + `"`}, {"Any other", ask},
		},
		Connect: []agentLine{
			{"Claude Code", "claude mcp add --transport http errand " + base + "/mcp"}, {"Codex", "codex mcp add errand --url " + base + "/mcp"},
			{"Any other", base + "/mcp"},
		},
		Address: fmt.Sprintf("%s/v1/issues/%d/brief", base, id),
	})
}
