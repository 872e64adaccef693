// Package prompts is every text that Errand writes for agents: the MCP server's instructions, and the prompts that
// a person picks in an MCP client. The texts are templates in Markdown beside this file.
package prompts

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"errand/core"
)

//go:embed *.md
var files embed.FS

var parseTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"tool": toolName}).ParseFS(files, "*.md"))
})

// toolName returns the name of a tool, or an error if it does not exist, so that no text names such a tool.
func toolName(name string) (string, error) {
	if !slices.ContainsFunc(core.V1.Tools(), func(op *core.Operation) bool { return op.Name == name }) {
		return "", fmt.Errorf("no tool is called %s", name)
	}
	return name, nil
}

// renderText writes a text. A template that fails is a mistake in the program, and a test writes all of them.
func renderText(file string, data any) string {
	var b strings.Builder
	if err := parseTemplates().ExecuteTemplate(&b, file, data); err != nil {
		panic(fmt.Sprintf("prompts: %v", err))
	}
	return b.String()
}

// RenderInstructions returns the MCP server's instructions to every client that connects: the loop of work, and what
// to keep in mind. Actors without write access are not told about writing. Clients cut the text at 2 KB.
func RenderInstructions(actor core.Actor) string {
	return renderText("instructions.md", map[string]bool{"write": actor.Has(core.IssuesWrite)})
}

// Prompt is a text that starts an agent on a task.
type Prompt struct {
	Name        string
	Title       string
	Description string
	Arguments   []Argument
	Scopes      []core.Scope // needed for the tools that it names
}

// IsFor reports whether the actor may call the tools that the prompt names.
func (p Prompt) IsFor(actor core.Actor) bool {
	return !slices.ContainsFunc(p.Scopes, func(scope core.Scope) bool { return !actor.Has(scope) })
}

// Argument is one value that a prompt takes. None is required.
type Argument struct {
	Name        string
	Description string
}

// maxArgument is the longest value of an argument, in bytes; no project has a longer name.
const maxArgument = 200

var projectArgument = Argument{"project", "Public id or slug of the only project to look at; all projects when absent."}

var allPrompts = []Prompt{
	{
		Name: "fix_next_issue", Title: "Fix the next issue",
		Description: "Take the best open issue that nobody works on, fix it in the source code, and record what was done.",
		Arguments:   []Argument{projectArgument}, Scopes: []core.Scope{core.IssuesRead, core.IssuesWrite},
	},
	{
		Name: "triage_inbox", Title: "Triage the open issues",
		Description: "Go through the open issues, note what each one is, and propose which to fix first and which to ignore.",
		Arguments:   []Argument{projectArgument}, Scopes: []core.Scope{core.IssuesRead, core.IssuesWrite},
	},
	{
		Name: "review_regressions", Title: "Review the fixes that did not hold",
		Description: "Go through the issues whose error came back after a fix, and say what the fix missed.",
		Arguments:   []Argument{projectArgument}, Scopes: []core.Scope{core.IssuesRead},
	},
	{
		Name: "setup_app", Title: "Connect this application",
		Description: "Install the SDK in the application of this repository, and see that its errors arrive. Needs a setup key.",
		Arguments: []Argument{
			{"project", "Public id or slug of the project, when the application is registered already."},
			{"platform", "Platform of the application, such as nextjs or django; found out when absent."},
		},
		Scopes: []core.Scope{core.SetupScope},
	},
}

// AllPrompts returns the prompts.
func AllPrompts() []Prompt { return slices.Clone(allPrompts) }

// Render writes the prompt with the values of its arguments. An unknown argument, or a value that cannot be shown, is an invalid_request.
func (p Prompt) Render(values map[string]string) (string, error) {
	for name, value := range values {
		known := slices.ContainsFunc(p.Arguments, func(a Argument) bool { return a.Name == name })
		switch {
		case !known:
			return "", core.RefuseField(name, "is not an argument of %s", p.Name)
		case value == "": // counts as absent
		case len(value) > maxArgument:
			return "", core.RefuseField(name, "must have at most %d bytes", maxArgument)
		default:
			if err := core.CheckName(name, value); err != nil {
				return "", err
			}
		}
	}
	return renderText(p.Name+".md", values), nil
}
