package prompts

import "strings"

// RenderConnectPage returns a plain text for an agent that was given only the URL of the server. It says how to continue.
func RenderConnectPage(baseURL string) string { return renderPage("connect.md", baseURL) }

// RenderLLMsPage returns llms.txt, which tells programs that read the web for agents what is there (llmstxt.org).
func RenderLLMsPage(baseURL string) string { return renderPage("llms.md", baseURL) }

func renderPage(file, baseURL string) string {
	return renderText(file, map[string]string{"BaseURL": strings.TrimRight(baseURL, "/")})
}
