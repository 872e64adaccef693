package web

import (
	"cmp"
	"slices"
	"strings"

	"errand/core"
)

// handDoor is how a person connects an application without an agent.
type handDoor struct {
	Name      string // of a project that was refused
	Platform  string
	Problem   string // why it was
	Platforms choice
	Waiting   []frameLink // projects without an event
	More      int         // such projects that are not shown
	HasAny    bool        // the person sees a project
}

// maxWaiting is how many projects without an event the page lists.
const maxWaiting = 10

// showProjects lists the projects that wait for their first event.
func (d *handDoor) showProjects(projects []core.ListedProject) {
	d.Platforms = choosePlatform(cmp.Or(d.Platform, string(core.GuidePlatforms[0])))
	d.HasAny = len(projects) > 0
	for i := range projects {
		switch p := &projects[i]; {
		case !p.LastEventAt.IsZero():
		case len(d.Waiting) == maxWaiting:
			d.More++
		default:
			d.Waiting = append(d.Waiting, frameLink{Name: p.Name, Path: welcomeAddress(projectField, p.Slug)})
		}
	}
}

// platformNames are the platforms that have a guide, as people write them.
var platformNames = map[core.GuidePlatform]string{
	"node": "Node.js", "browser": "JavaScript in browsers", "react": "React", "nextjs": "Next.js", "python": "Python", "django": "Django",
	"flask": "Flask", "fastapi": "FastAPI", "go": "Go", "rust": "Rust", "java": "Java", "spring": "Spring", "ruby": "Ruby", "rails": "Rails",
	"php": "PHP", "laravel": "Laravel", "dotnet": ".NET", "elixir": "Elixir", "opentelemetry": "OpenTelemetry",
	core.GeneralGuide: "another one",
}

// choosePlatform makes the select of the platforms, with more options before them.
func choosePlatform(value string, options ...option) choice {
	for _, platform := range core.GuidePlatforms {
		options = append(options, option{Value: string(platform), Text: cmp.Or(platformNames[platform], string(platform))})
	}
	return chooseFrom(platformField, "Platform", value, options...)
}

// takeProject makes a project and leads to its DSN.
func (v *visit) takeProject() error {
	name, platform := v.r.PostForm.Get(nameField), v.r.PostForm.Get(platformField)
	made, err := v.createProject(name, platform)
	problem, err := v.readProblem(err)
	if err != nil {
		return err
	}
	if problem != "" {
		return v.askWelcome(welcomeForm{Hand: handDoor{Name: name, Platform: platform, Problem: problem}})
	}
	return v.redirectWith(welcomeAddress(projectField, made.Slug), flash{Text: "The project " + made.Name + " is created."})
}

// createProject makes a project. The general guide stands for no platform.
func (v *visit) createProject(name, platform string) (core.CreatedProject, error) {
	args := map[string]any{nameField: name}
	if platform != "" && platform != string(core.GeneralGuide) {
		args[platformField] = platform
	}
	made, err := callOperation(v, core.CreateProject, args)
	return made.Data, err
}

// chosenProject is a project with its DSN and the steps of its guide.
type chosenProject struct {
	Name, Slug string
	DSN        string
	Platforms  choice
	Steps      []guideStep
	Last       moment // when its last event came in
	IssuesPath string
	LivePath   string
}

// guideStep is a step of the setup guide.
type guideStep struct {
	Title   string
	Parts   []guidePart
	IsLater bool // it is no part of the way to the first error
}

// The steps of the guide that the page treats in a way of their own.
const (
	testEventStep = "test_event" // an agent's: it shows less than the first error
	deploysStep   = "deploy_configured"
)

// chooseProject returns the project with the slug, and the guide of its platform.
func (v *visit) chooseProject(projects []core.ListedProject, slug string) (*chosenProject, error) {
	i := slices.IndexFunc(projects, func(p core.ListedProject) bool { return p.Slug == slug })
	if i < 0 {
		return nil, core.NewError(core.ProjectNotFound)
	}
	p, asked := &projects[i], v.r.URL.Query().Get(platformField)
	chosen := &chosenProject{
		Name: p.Name, Slug: p.Slug, Last: v.at(p.LastEventAt), IssuesPath: issuesOf(p.Slug),
		LivePath: welcomeAddress(fragmentField, arrivedPart, projectField, p.Slug),
	}
	if v.isFragment() {
		return chosen, nil
	}
	if len(p.DSNs) > 0 {
		chosen.DSN = p.DSNs[0]
	}
	chosen.Platforms = chooseGuide(asked, string(p.Platform))
	var err error
	chosen.Steps, err = v.readGuideSteps(p.Slug, asked)
	return chosen, err
}

// chooseGuide makes the select of a project's guide. A platform of another name, such as nodejs, has the guide that fits it.
func chooseGuide(asked, own string) choice {
	value := cmp.Or(asked, own, string(core.GeneralGuide))
	if asked == "" && !slices.Contains(core.GuidePlatforms, core.GuidePlatform(value)) {
		return choosePlatform("", option{Text: own})
	}
	return choosePlatform(value)
}

// readGuideSteps reads the guide of a project; an empty platform is the project's own.
func (v *visit) readGuideSteps(slug, platform string) ([]guideStep, error) {
	args := map[string]any{projectField: slug}
	if platform != "" {
		args[platformField] = platform
	}
	guide, err := callOperation(v, core.GetSetupGuide, args)
	if err != nil {
		return nil, err
	}
	var steps []guideStep
	for _, s := range guide.Data.Steps {
		if s.ID != testEventStep {
			steps = append(steps, guideStep{s.Title, readGuide(s.Instructions), s.ID == deploysStep})
		}
	}
	return steps, nil
}

// guidePart is a paragraph of a guide, or lines to copy.
type guidePart struct {
	Words []guideWord
	Lines string
	File  string // where the lines belong; empty for a shell
}

// guideWord is a part of a paragraph. Kind is code, strong or empty.
type guideWord struct{ Kind, Text string }

// readGuide reads the Markdown of our guides: paragraphs with code and strong words, and fenced lines.
func readGuide(markdown string) []guidePart {
	var parts []guidePart
	for i, piece := range strings.Split("\n"+markdown, "\n```") {
		if i%2 == 1 {
			info, lines, _ := strings.Cut(piece, "\n")
			_, file, _ := strings.Cut(info, " ")
			parts = append(parts, guidePart{Lines: lines, File: file})
			continue
		}
		for paragraph := range strings.SplitSeq(piece, "\n\n") {
			if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
				parts = append(parts, guidePart{Words: splitWords(strings.ReplaceAll(paragraph, "\n", " "))})
			}
		}
	}
	return parts
}

// splitWords splits a paragraph at its code and its strong words.
func splitWords(paragraph string) []guideWord {
	var words []guideWord
	for i, piece := range strings.Split(paragraph, "`") {
		if i%2 == 1 {
			words = append(words, guideWord{"code", piece})
			continue
		}
		for j, text := range strings.Split(piece, "**") {
			words = append(words, guideWord{[]string{"", "strong"}[j%2], text})
		}
	}
	return words
}
