package app_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// openAPI is the OpenAPI document of a server's management API.
type openAPI struct {
	paths    map[string]any
	shared   map[string]any // responses that routes refer to, by name
	compiler *jsonschema.Compiler
}

const documentURL = "mem:///openapi.json"

func readOpenAPI(t *testing.T, s *server) *openAPI {
	t.Helper()
	sent, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+"/api/v1/openapi.json", nil)
	require.NoError(t, err)
	got := s.doRequest(sent)
	require.Equal(t, http.StatusOK, got.status, "it needs no key")
	whole, err := jsonschema.UnmarshalJSON(strings.NewReader(got.body))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource(documentURL, whole))
	document := whole.(map[string]any)
	shared := document["components"].(map[string]any)["responses"].(map[string]any)
	return &openAPI{document["paths"].(map[string]any), shared, compiler}
}

// requireDescribed requires an answer to match the document. An undocumented path or method has only errors.
func (d *openAPI) requireDescribed(t *testing.T, method, path string, got answer) {
	t.Helper()
	path, _, _ = strings.Cut("/api/v1"+path, "?")
	template, route := d.findRoute(path, strings.ToLower(method))
	if route == nil {
		require.GreaterOrEqual(t, got.status, http.StatusBadRequest, "%s %s is not documented", method, path)
		return
	}
	status := strconv.Itoa(got.status)
	response, documented := route["responses"].(map[string]any)[status].(map[string]any)
	require.True(t, documented, "%s %s does not document %s: %s", method, template, status, got.body)
	place := "#/paths/" + strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(template) + "/" + strings.ToLower(method) +
		"/responses/" + status
	if reference, isShared := response["$ref"].(string); isShared {
		place = reference
		response = d.shared[strings.TrimPrefix(reference, "#/components/responses/")].(map[string]any)
	}
	if response["content"] == nil {
		require.Empty(t, got.body)
		return
	}
	schema, err := d.compiler.Compile(documentURL + place + "/content/application~1json/schema")
	require.NoError(t, err)
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(got.body))
	require.NoError(t, err, got.body)
	require.NoError(t, schema.Validate(body), "%s %s: %s", method, path, got.body)
}

// findRoute returns the documented route of a path.
func (d *openAPI) findRoute(path, method string) (template string, route map[string]any) {
	for template, methods := range d.paths {
		if !matchesTemplate(template, path) {
			continue
		}
		if found, documented := methods.(map[string]any)[method].(map[string]any); documented {
			return template, found
		}
	}
	return "", nil
}

// matchesTemplate reports whether a path matches a template, such as /teams/{team}. Templates of one method do not overlap.
func matchesTemplate(template, path string) bool {
	wanted, parts := strings.Split(template, "/"), strings.Split(path, "/")
	if len(wanted) != len(parts) {
		return false
	}
	for i, part := range parts {
		if part != wanted[i] && !strings.HasPrefix(wanted[i], "{") {
			return false
		}
	}
	return true
}
