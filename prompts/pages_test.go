package prompts_test

import (
	"testing"

	"errand/prompts"
	"errand/testkit/golden"
)

func TestPages(t *testing.T) {
	t.Parallel()
	golden.CheckFile(t, "testdata/connect.txt", prompts.RenderConnectPage("https://errand.example/"))
	golden.CheckFile(t, "testdata/llms.txt", prompts.RenderLLMsPage("https://errand.example"))
}
