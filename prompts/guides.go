package prompts

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"errand/core"
)

//go:embed setup/*.md
var guideFiles embed.FS

// The steps of a guide.
const (
	StepInstall    = "sdk_installed"
	StepTestEvent  = "test_event"
	StepFirstEvent = "first_event"
	StepDeploys    = "deploy_configured"
)

// guideSteps are the steps in order. Instructions and verification are templates, from the platform's guide if it has
// them, else from setup/_steps.md.
var guideSteps = []struct{ id, title, instructions, verify string }{
	{StepInstall, "Install the SDK and start it", "install", "installed"},
	{StepTestEvent, "Send the test event", "test event", "tested"},
	{StepFirstEvent, "Make a first error", "error", "arrived"},
	{StepDeploys, "Report deploys", "deploys", "reported"},
}

const (
	sharedSteps = "_steps.md"
	// placeholderDSN stands in a guide without a project.
	placeholderDSN = "YOUR_DSN"
)

// guide holds the templates of one platform.
type guide struct {
	title     string
	templates *template.Template
}

var readGuides = sync.OnceValue(mustReadGuides)

// mustReadGuides reads the guide of each platform: its first line is the title, and the rest defines its templates.
func mustReadGuides() map[core.GuidePlatform]guide {
	shared := template.Must(template.New(sharedSteps).Funcs(template.FuncMap{"tool": toolName, "platforms": listPlatforms}).
		ParseFS(guideFiles, "setup/"+sharedSteps))
	read := map[core.GuidePlatform]guide{}
	for _, platform := range core.GuidePlatforms {
		text, err := guideFiles.ReadFile("setup/" + string(platform) + ".md")
		if err != nil {
			panic(fmt.Sprintf("prompts: %v", err))
		}
		title, rest, _ := strings.Cut(string(text), "\n")
		read[platform] = guide{
			strings.TrimPrefix(title, "# "), template.Must(template.Must(shared.Clone()).New(string(platform)).Parse(rest)),
		}
	}
	return read
}

// listPlatforms names the platforms with their own guide.
func listPlatforms() string {
	var names []string
	for _, platform := range core.GuidePlatforms {
		if platform != core.GeneralGuide {
			names = append(names, string(platform))
		}
	}
	return strings.Join(names, ", ")
}

// otherNames are platforms without their own guide, and the guides that fit them.
var otherNames = map[string]core.GuidePlatform{
	"nodejs": "node", "express": "node", "fastify": "node", "nestjs": "node", "typescript": "node", "bun": "node",
	"javascript": "browser", "js": "browser", "vue": "browser", "svelte": "browser", "angular": "browser", "next": "nextjs",
	"golang": "go", "gin": "go", "py": "python", "celery": "python", "springboot": "spring", "kotlin": "java", "symfony": "php",
	"csharp": "dotnet", "c": "general", "aspnetcore": "dotnet", "aspnet": "dotnet", "phoenix": "elixir", "otel": "opentelemetry",
	"rubyonrails": "rails", "axum": "rust", "actix": "rust",
}

// FindGuide returns the platform whose guide fits a project's platform, such as nodejs or Next.js.
func FindGuide(platform string) core.GuidePlatform {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(platform))
	if _, known := readGuides()[core.GuidePlatform(name)]; known {
		return core.GuidePlatform(name)
	}
	if other, known := otherNames[name]; known {
		return other
	}
	return core.GeneralGuide
}

// GuideValues are the values in a guide. None of them is text that somebody else chose freely: the name of an app could
// say anything, so no guide contains it.
type GuideValues struct {
	Platform core.GuidePlatform // empty for the general guide
	BaseURL  string
	Project  string // the slug; empty for none
	DSN      string
	Done     map[string]core.Time // when each step was done
}

// guideData is the data for the templates of a guide.
type guideData struct {
	BaseURL, Project, DSN string
	Key                   string // of the DSN
}

// RenderGuide writes the guide of a platform.
func RenderGuide(v GuideValues) core.SetupGuide {
	found, known := readGuides()[v.Platform]
	if !known {
		found = readGuides()[core.GeneralGuide]
	}
	data := newGuideData(v)
	var markdown strings.Builder
	fmt.Fprintf(&markdown, "# Connect %s to Errand\n\n%s\n", found.title, found.render("intro", data))
	var steps core.List[core.GuideStep]
	for i, s := range guideSteps {
		step := core.GuideStep{
			ID: s.id, Title: s.title, DoneAt: v.Done[s.id],
			Instructions: found.render(s.instructions, data), Verify: found.render(s.verify, data),
		}
		steps = append(steps, step)
		done := ""
		if !step.DoneAt.IsZero() {
			done = " (done)"
		}
		fmt.Fprintf(&markdown, "\n## %d. %s%s\n\n%s\n\nCheck: %s\n", i+1, step.Title, done, step.Instructions, step.Verify)
	}
	return core.SetupGuide{Markdown: markdown.String(), Steps: steps}
}

func newGuideData(v GuideValues) guideData {
	data := guideData{BaseURL: strings.TrimRight(v.BaseURL, "/"), Project: v.Project, DSN: v.DSN}
	if v.Project == "" {
		data.Project, data.DSN = "YOUR_PROJECT", placeholderDSN
		data.Key = "YOUR_DSN_KEY"
		return data
	}
	_, behindScheme, _ := strings.Cut(v.DSN, "://")
	data.Key, _, _ = strings.Cut(behindScheme, "@")
	return data
}

// render writes one template. A template that fails is a mistake in the program, and a test writes all of them.
func (g guide) render(name string, data guideData) string {
	var b strings.Builder
	if err := g.templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("prompts: guide of %s: %v", g.title, err))
	}
	return strings.TrimSpace(b.String())
}
