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
)

func TestDocsPage(t *testing.T) {
	t.Parallel()
	answer := getPath(t, newHandler(t, nil), "/docs")
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, "text/html; charset=utf-8", answer.Header().Get("Content-Type"))
	page := answer.Body.String()

	for _, op := range core.V1.Operations() {
		require.Contains(t, page, `id="`+op.Name+`"`)
		require.Contains(t, page, ">"+op.Path()+"<")
		for _, field := range op.Fields() {
			require.Contains(t, page, "<code>"+field.Name+"</code>")
		}
		for _, code := range op.AllErrors() {
			require.Contains(t, page, `id="error-`+string(code)+`"`)
		}
	}
	for name := range core.V1.Components() {
		require.Contains(t, page, `id="`+name+`"`)
	}
	require.Contains(t, page, baseURL+"/v1/issues?project=web-shop&amp;status=open&amp;claimed=false&amp;limit=10")
	require.Contains(t, page, `-d &#39;{&#34;minutes&#34;: 60}&#39;`)
	require.NotContains(t, page, "ZgotmplZ", "html/template refused a value")
}

func TestDocsPageLinks(t *testing.T) {
	t.Parallel()
	page := getPath(t, newHandler(t, nil), "/docs").Body.String()
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
		require.Equal(t, "/v1/openapi.json", link[1], "the page needs nothing from elsewhere")
	}
}

func TestDocsPagePolicy(t *testing.T) {
	t.Parallel()
	answer := getPath(t, newHandler(t, nil), "/docs")
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
