package api_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/core"
	"errand/core/manage"
)

// docsPages are the first pages that explain an API, each with the errors of an operation.
var docsPages = map[string]struct {
	catalogue *core.Catalogue
	codesOf   func(*core.Operation) []core.Code
}{
	"/docs":            {core.V1, (*core.Operation).AllErrors},
	"/docs/management": {manage.V1, manage.CodesOf},
}

// readDocs returns all pages of an API by their paths.
func readDocs(t *testing.T, first string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	handler := newHandler(t, nil)
	wanted := []string{first}
	for len(wanted) > 0 {
		at := wanted[0]
		wanted = wanted[1:]
		if _, isThere := pages[at]; isThere || path.Dir(at) != first && at != first {
			continue
		}
		answer := getPath(t, handler, at)
		require.Equal(t, http.StatusOK, answer.Code, at)
		require.Equal(t, "text/html; charset=utf-8", answer.Header().Get("Content-Type"))
		pages[at] = answer.Body.String()
		for _, link := range hrefs.FindAllStringSubmatch(pages[at], -1) {
			page, _, _ := strings.Cut(link[1], "#")
			if page != "" && page != "/docs/management" {
				wanted = append(wanted, page)
			}
		}
	}
	return pages
}

var (
	hrefs = regexp.MustCompile(`href="([^"]*)"`)
	ids   = regexp.MustCompile(` id="([^"]+)"`)
)

// TestDocsPages holds that everything is explained on one of the pages, and that the first one has the anchors of all.
func TestDocsPages(t *testing.T) {
	t.Parallel()
	for first, of := range docsPages {
		pages := readDocs(t, first)
		require.Greater(t, len(pages), 6)
		all := strings.Join(slices.Collect(maps.Values(pages)), "")
		for _, op := range of.catalogue.Operations() {
			require.Contains(t, pages[first], `id="`+op.Name+`"`)
			require.Contains(t, all, `<section id="`+op.Name+`"`)
			require.Contains(t, all, ">"+op.Path()+"<")
			for _, field := range op.Fields() {
				require.Contains(t, all, "<code>"+field.Name+"</code>")
			}
			for _, code := range of.codesOf(op) {
				require.Contains(t, pages[first], `id="error-`+string(code)+`"`)
				require.Contains(t, pages[first+"/errors"], `id="error-`+string(code)+`"`)
			}
		}
		for name := range of.catalogue.Components() {
			require.Contains(t, pages[first], `id="`+name+`"`)
			require.Contains(t, pages[first+"/objects"], `id="`+name+`"`)
		}
		require.NotContains(t, all, "ZgotmplZ", "html/template refused a value")
		require.Less(t, strings.Count(pages[first], "<"), 2_000, "a page has only a part of it")
	}
	require.Equal(t, http.StatusNotFound, getPath(t, newHandler(t, nil), "/docs/unknown").Code)
}

func TestDocsPagesHaveCommands(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, nil)
	page := getPath(t, handler, "/docs/issues").Body.String()
	require.Contains(t, page, baseURL+"/v1/issues?project=web-shop&amp;claimed=false&amp;status=open&amp;limit=10")
	require.Contains(t, page, `-d &#39;{&#34;minutes&#34;: 60}&#39;`)
	require.Contains(t, page, "MCP tool")

	management := getPath(t, handler, "/docs/management/problems").Body.String()
	require.Contains(t, management, baseURL+"/api/v1/apps/web-shop/problems?status=unresolved")
	require.Contains(t, management, `-H &#34;Service-API-Key: $API_KEY&#34;`)
	require.NotContains(t, management, "MCP tool")
}

// TestDocsPagesLink holds that each link leads to a page, and to an id that stands there once.
func TestDocsPagesLink(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"/", "/docs", "/docs/management", "/v1/openapi.json", "/api/v1/openapi.json", "/style.css", "/icon.svg"}
	for first := range docsPages {
		pages := readDocs(t, first)
		anchors := map[string]bool{}
		for at, page := range pages {
			for _, id := range ids.FindAllStringSubmatch(page, -1) {
				require.False(t, anchors[at+"#"+id[1]], "the id %s stands twice in %s", id[1], at)
				anchors[at+"#"+id[1]] = true
			}
		}
		for at, page := range pages {
			for _, link := range hrefs.FindAllStringSubmatch(page, -1) {
				target, anchor, hasAnchor := strings.Cut(link[1], "#")
				target = cmp.Or(target, at)
				if hasAnchor {
					require.True(t, anchors[target+"#"+anchor], "%s links %s", at, link[1])
				} else if pages[target] == "" {
					require.Contains(t, elsewhere, target, "the pages need nothing from elsewhere")
				}
			}
		}
	}
}

func TestDocsPagePolicy(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"/docs", "/docs/issues", "/docs/management/errors"} {
		answer := getPath(t, newHandler(t, nil), at)
		page, policy := answer.Body.String(), answer.Header().Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'; style-src 'self'; img-src 'self'")
		require.NotContains(t, policy, "unsafe")
		for _, inline := range []string{"<script", "<style", " style="} {
			require.NotContains(t, page, inline, at)
		}
	}
}

// TestTextsAreTextsForPrograms asks for a text as a browser and as programs do.
func TestTextsAreTextsForPrograms(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, func(o *api.Options) {
		o.Texts = map[string]func() string{"/setup": func() string { return "Errand & <more>" }}
	})
	for accept, kind := range map[string]string{
		"": "text/plain; charset=utf-8", "*/*": "text/plain; charset=utf-8", "text/html,*/*;q=0.8": "text/html; charset=utf-8",
	} {
		request := httptest.NewRequest(http.MethodGet, "/setup", nil)
		request.Header.Set("Accept", accept)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		require.Equal(t, kind, answer.Header().Get("Content-Type"), accept)
		require.Equal(t, "Accept", answer.Header().Get("Vary"))
		if strings.HasPrefix(kind, "text/html") {
			require.Contains(t, answer.Body.String(), "Errand &amp; &lt;more&gt;")
		} else {
			require.Equal(t, "Errand & <more>", answer.Body.String())
		}
	}
}
