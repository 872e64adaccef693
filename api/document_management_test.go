package api_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/core"
	"errand/core/manage"
	"errand/testkit/golden"
)

func readManagementDocument(t *testing.T) (document, []byte) {
	t.Helper()
	text := api.DescribeManagement("0.0.0")
	var d document
	require.NoError(t, json.Unmarshal(text, &d))
	return d, text
}

func TestManagementOpenAPIGolden(t *testing.T) {
	t.Parallel()
	_, text := readManagementDocument(t)
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, text, "", "  "))
	golden.CheckFile(t, "testdata/openapi_management.json", pretty.String()+"\n")
}

func TestManagementOpenAPIHasEveryRoute(t *testing.T) {
	t.Parallel()
	d, text := readManagementDocument(t)
	var permissions map[string]map[string]map[string]any
	require.NoError(t, json.Unmarshal(pathsOf(t, text), &permissions))
	ids := map[string]bool{}
	for _, op := range manage.V1.Operations() {
		for _, at := range append([]string{op.Route}, op.Aliases...) {
			method, path, _ := strings.Cut(at, " ")
			route, documented := d.Paths[path][strings.ToLower(method)]
			require.True(t, documented, at)
			require.NotEmpty(t, route.Summary)
			require.NotEmpty(t, route.Description)
			require.False(t, ids[route.OperationID], "operationId %s stands twice", route.OperationID)
			ids[route.OperationID] = true
			require.Equal(t, string(manage.PermissionOf(op)), permissions[path][strings.ToLower(method)]["x-required-permission"], at)
			require.Equal(t, op.Scope == core.NoToken, len(route.Security[0]) == 0, at)
			for _, code := range manage.CodesOf(op) {
				require.Contains(t, d.responseOf(route, manage.V1.Errors()[code].Status), `"`+string(code)+`"`, "%s does not document %s", at, code)
			}
		}
	}
	require.NotContains(t, string(text), `"`+string(core.InvalidRequest)+`"`, "it is answered as validation_failed")
	require.NotContains(t, string(text), "WWW-Authenticate")
}

func pathsOf(t *testing.T, text []byte) json.RawMessage {
	t.Helper()
	var whole struct{ Paths json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &whole))
	return whole.Paths
}

// TestSchemasOfTheDocumentsCompile compiles each schema of both documents, with its references.
func TestSchemasOfTheDocumentsCompile(t *testing.T) {
	t.Parallel()
	_, v1 := readDocument(t)
	_, management := readManagementDocument(t)
	for name, text := range map[string][]byte{"v1": v1, "management": management} {
		whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		compiler := jsonschema.NewCompiler()
		require.NoError(t, compiler.AddResource("mem:///"+name, whole))
		compiled := 0
		compileSchemas(t, compiler, "mem:///"+name+"#", whole, &compiled)
		require.Greater(t, compiled, 30, "the schemas were not found")
	}
}

// compileSchemas compiles the values of the key schema, and the components.
func compileSchemas(t *testing.T, compiler *jsonschema.Compiler, at string, node any, compiled *int) {
	t.Helper()
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			path := at + "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key)
			if key == "schema" || strings.HasSuffix(at, "/components/schemas") {
				_, err := compiler.Compile(path)
				require.NoError(t, err, path)
				*compiled++
				continue
			}
			compileSchemas(t, compiler, path, value, compiled)
		}
	case []any:
		for i, value := range node {
			compileSchemas(t, compiler, at+"/"+strconv.Itoa(i), value, compiled)
		}
	}
}
