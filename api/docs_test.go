package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/core/manage"
)

// docsPages are the pages that explain an API, each with the errors of an operation.
var docsPages = map[string]struct {
	catalogue *core.Catalogue
	codesOf   func(*core.Operation) []core.Code
}{
	"/docs":            {core.V1, (*core.Operation).AllErrors},
	"/docs/management": {manage.V1, manage.CodesOf},
}

func TestDocsPages(t *testing.T) {
	t.Parallel()
	for path, of := range docsPages {
		answer := getPath(t, newHandler(t, nil), path)
		require.Equal(t, http.StatusOK, answer.Code)
		require.Equal(t, "text/html; charset=utf-8", answer.Header().Get("Content-Type"))
		page := answer.Body.String()

		for _, op := range of.catalogue.Operations() {
			require.Contains(t, page, `id="`+op.Name+`"`)
			require.Contains(t, page, ">"+op.Path()+"<")
			for _, field := range op.Fields() {
				require.Contains(t, page, "<code>"+field.Name+"</code>")
			}
			for _, code := range of.codesOf(op) {
				require.Contains(t, page, `id="error-`+string(code)+`"`)
			}
		}
		for name := range of.catalogue.Components() {
			require.Contains(t, page, `id="`+name+`"`)
		}
		require.NotContains(t, page, "ZgotmplZ", "html/template refused a value")
	}
}

func TestDocsPagesHaveCommands(t *testing.T) {
	t.Parallel()
	page := getPath(t, newHandler(t, nil), "/docs").Body.String()
	require.Contains(t, page, baseURL+"/v1/issues?project=web-shop&amp;claimed=false&amp;status=open&amp;limit=10")
	require.Contains(t, page, `-d &#39;{&#34;minutes&#34;: 60}&#39;`)
	require.Contains(t, page, "MCP tool")

	management := getPath(t, newHandler(t, nil), "/docs/management").Body.String()
	require.Contains(t, management, baseURL+"/api/v1/apps/web-shop/problems?status=unresolved")
	require.Contains(t, management, `-H &#34;Service-API-Key: $API_KEY&#34;`)
	require.NotContains(t, management, "MCP tool")
}

func TestDocsPagesLink(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"/docs", "/docs/management", "/v1/openapi.json", "/api/v1/openapi.json"}
	for path := range docsPages {
		page := getPath(t, newHandler(t, nil), path).Body.String()
		ids := map[string]int{}
		for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			ids[id[1]]++
			require.Equal(t, 1, ids[id[1]], "the id %s stands twice", id[1])
		}
		for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if anchor, here := strings.CutPrefix(link[1], "#"); here {
				require.Contains(t, ids, anchor)
				continue
			}
			require.Contains(t, elsewhere, link[1], "the page needs nothing from elsewhere")
		}
	}
}

func TestDocsPagePolicy(t *testing.T) {
	t.Parallel()
	answer := getPath(t, newHandler(t, nil), "/docs/management")
	page, policy := answer.Body.String(), answer.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.NotContains(t, policy, "unsafe")
	require.NotContains(t, page, "<script")
	require.NotContains(t, page, " style=")

	_, rest, _ := strings.Cut(page, "<style>")
	style, _, found := strings.Cut(rest, "</style>")
	require.True(t, found)
	hash := sha256.Sum256([]byte(style))
	require.Contains(t, policy, "'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
}
