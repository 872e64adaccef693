package prompts

import "strings"

// RenderConnectPage returns the plain text for an agent that was given only the URL of the server: how to go on.
func RenderConnectPage(baseURL string) string { return renderPage("connect.md", baseURL) }

// RenderLLMsPage returns llms.txt, by which programs that read the web for agents find what there is (llmstxt.org).
func RenderLLMsPage(baseURL string) string { return renderPage("llms.md", baseURL) }

func renderPage(file, baseURL string) string {
	return renderText(file, map[string]string{"BaseURL": strings.TrimRight(baseURL, "/")})
}
