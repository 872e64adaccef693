package prompts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/prompts"
	"errand/testkit/golden"
)

// guideValues are the values for a project.
func guideValues(platform core.GuidePlatform) prompts.GuideValues {
	return prompts.GuideValues{
		Platform: platform, BaseURL: "https://errand.example", Project: "web-shop",
		DSN: "https://0123456789abcdef0123456789abcdef@errand.example/1234567890",
	}
}

func TestGuides(t *testing.T) {
	t.Parallel()
	var files []string
	for _, platform := range core.GuidePlatforms {
		guide := prompts.RenderGuide(guideValues(platform))
		golden.CheckFile(t, "testdata/guides/"+string(platform)+".md", guide.Markdown)
		files = append(files, string(platform)+".md")

		require.Less(t, len(guide.Markdown), 4*1600, "%s: it costs its reader too much", platform)
		require.NotContains(t, guide.Markdown, "YOUR_", platform)
		require.Zero(t, strings.Count(guide.Markdown, "```")%2, platform)
		for _, must := range []string{
			"0123456789abcdef0123456789abcdef", "release", "environment", "errand deploy", "/v1/deploys", "first error of web-shop",
		} {
			require.Contains(t, guide.Markdown, must, platform)
		}
		require.Len(t, guide.Steps, 4, platform)
		for _, step := range guide.Steps {
			require.NotEmpty(t, step.Instructions, "%s %s", platform, step.ID)
			require.NotEmpty(t, step.Verify, "%s %s", platform, step.ID)
			require.Contains(t, guide.Markdown, step.Instructions)
		}
	}
	golden.CheckNames(t, "testdata/guides", files)
}

func TestGuidesOfJavaScriptHaveSourceMaps(t *testing.T) {
	t.Parallel()
	for _, platform := range core.GuidePlatforms {
		guide := prompts.RenderGuide(guideValues(platform)).Markdown
		isJavaScript := strings.Contains(guide, "npm install @sentry/")
		require.Equal(t, isJavaScript, strings.Contains(guide, "sourcemaps upload"), platform)
	}
}

// Every guide has the script and the command that name a deploy's commits, since they tell which fixes a deploy contains.
func TestGuidesNameTheCommitsOfDeploys(t *testing.T) {
	t.Parallel()
	for _, platform := range core.GuidePlatforms {
		guide := prompts.RenderGuide(guideValues(platform)).Markdown
		require.Contains(t, guide, `\"commits\": [$commits]`, platform)
		require.Contains(t, guide, "errand deploy --project", platform)
		require.Contains(t, guide, "a fix that no deploy names is never verified", platform)
	}
}

func TestGuideWithoutProject(t *testing.T) {
	t.Parallel()
	guide := prompts.RenderGuide(prompts.GuideValues{Platform: "node", BaseURL: "https://errand.example"})
	require.Contains(t, guide.Markdown, `dsn: "YOUR_DSN"`)
	require.Contains(t, guide.Markdown, "project=YOUR_PROJECT")
}

func TestGuideOfAnUnknownPlatformIsTheGeneralOne(t *testing.T) {
	t.Parallel()
	require.Equal(t, prompts.RenderGuide(guideValues(core.GeneralGuide)), prompts.RenderGuide(guideValues("")))
}

func TestFindGuide(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]core.GuidePlatform{
		"node": "node", "Node.js": "node", "NEXT.JS": "nextjs", "Spring Boot": "spring", "ruby-on-rails": "rails", "golang": "go",
		"c#":         "general",
		"javascript": "browser", "": "general", "```ignore": "general", "cobol": "general", "ASP.NET Core": "dotnet", "vue": "browser",
	} {
		require.Equal(t, want, prompts.FindGuide(name), name)
	}
}

func TestSetupTexts(t *testing.T) {
	t.Parallel()
	golden.CheckFile(t, "testdata/setup_key.md", prompts.RenderSetupKey("https://errand.example/", "cks_0123456789"))
	text := prompts.RenderSetupInstructions()
	golden.CheckFile(t, "testdata/setup_instructions.md", text)
	require.Less(t, len(text), 2048, "clients cut longer instructions")
}
