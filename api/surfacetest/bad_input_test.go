package surfacetest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
)

// TestBadInputEverywhere sends every tool its example with one mistake at a time: for each field, the mistakes
// against its schema. Both surfaces must report the same.
func TestBadInputEverywhere(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for _, op := range s.Registry.Operations() {
		if op.NotATool != "" {
			continue
		}
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			requireRefused(t, s, op, "unknown_field", withField(t, op, "unknown_field", `"x"`))
			for _, field := range op.Fields() {
				for _, value := range mistakesOf(op, field) {
					requireRefused(t, s, op, field.Name, withField(t, op, field.Name, value))
				}
				if most, whole := field.Schema["maximum"].(int64); whole && field.Schema["type"] == "integer" {
					// Written as a fraction it is still an integer: the only mistake is the other field.
					input := withField(t, op, field.Name, fmt.Sprintf("%d.0", most))
					requireRefused(t, s, op, "unknown_field", strings.TrimSuffix(input, "}")+`,"unknown_field":"x"}`)
				}
				// Each operation decides whether U+0000 is a mistake or is cleaned away. Both surfaces must agree.
				requireSameOutcome(t, s, op, withField(t, op, field.Name, `"a\u0000b"`))
				if field.Required && !inPath(op, field) {
					requireRefused(t, s, op, field.Name, withField(t, op, field.Name, ""))
				}
			}
		})
	}
}

func inPath(op *core.Operation, field core.Field) bool {
	return slices.Contains(op.PathParams(), field.Name)
}

// withField returns the operation's example with another value for a field, or without the field.
func withField(t *testing.T, op *core.Operation, field, value string) string {
	t.Helper()
	input := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal([]byte(op.Example), &input))
	delete(input, field)
	if value != "" {
		input[field] = json.RawMessage(value)
	}
	text, err := json.Marshal(input)
	require.NoError(t, err)
	return string(text)
}

// mistakesOf returns JSON values that the field's schema forbids. Those for the path and the query are texts, since a
// URL has nothing else.
func mistakesOf(op *core.Operation, field core.Field) []string {
	var values []string
	schema := field.Schema
	text := func(value any) { values = append(values, fmt.Sprintf("%q", fmt.Sprint(value))) }
	switch schema["type"] {
	case "integer":
		for _, number := range []string{"many", "1.5", "1e2", "0x10", "9007199254740993", "99999999999999999999", "-9007199254740993"} {
			text(number)
		}
		text(schema["minimum"].(int64) - 1)
		text(schema["maximum"].(int64) + 1)
	case "boolean":
		text("maybe")
	case "string":
		if longest, bounded := schema["maxLength"].(int64); bounded {
			text(strings.Repeat("é", int(longest)+1))
		}
		if shortest, bounded := schema["minLength"].(int64); bounded && shortest > 0 && !inPath(op, field) {
			text("")
		}
		if schema["enum"] != nil {
			text("no such value")
		}
	case "array":
		if most, bounded := schema["maxItems"].(int64); bounded {
			text(strings.Repeat(",", int(most)))
		}
		if fewest, bounded := schema["minItems"].(int64); bounded && fewest > 0 {
			text("[]")
		}
	}
	if op.HasBody() && !inPath(op, field) {
		values = append(values, otherKinds(schema)...)
	}
	return values
}

// otherKinds returns JSON values of kinds that the schema does not allow. A number may stand for a text that is a project's id.
func otherKinds(schema core.Schema) []string {
	kinds := map[any]string{"boolean": `true`, "object": `{"a": 1}`, "array": `[true]`}
	delete(kinds, schema["type"])
	if schema["type"] != "string" {
		kinds["number"] = `7.5`
	}
	return slices.Sorted(maps.Values(kinds))
}

// requireRefused requires both surfaces to refuse the input for the field, in the same words.
func requireRefused(t *testing.T, s *surfacetest.Surface, op *core.Operation, field, input string) {
	t.Helper()
	rest := requireSameOutcome(t, s, op, input)
	require.Equal(t, http.StatusBadRequest, rest.Status, "%s: %s", input, rest.Body)
	var failure struct{ Details []core.Detail }
	require.NoError(t, json.Unmarshal([]byte(rest.Body), &failure))
	require.NotEmpty(t, failure.Details, input)
	for _, detail := range failure.Details {
		path, _, _ := strings.Cut(detail.Path, ".")
		require.Equal(t, field, path, "%s: %s", input, rest.Body)
		require.NotEmpty(t, detail.Message, input)
	}
}

// requireSameOutcome requires both surfaces to answer the input with the same error, and returns the error of REST.
func requireSameOutcome(t *testing.T, s *surfacetest.Surface, op *core.Operation, input string) surfacetest.Answer {
	t.Helper()
	rest := callREST(t, s, op, surfacetest.AdminToken, input)
	require.GreaterOrEqual(t, rest.Status, http.StatusBadRequest, "%s was taken: %s", input, rest.Body)
	code := core.Code(fmt.Sprint(objectOf(t, rest.Body)["error"]))
	requireSameError(t, op, code, rest, callMCP(t, s, op, surfacetest.AdminToken, input))
	return rest
}

// TestBrokenInputEverywhere sends texts other than a JSON object in UTF-8.
func TestBrokenInputEverywhere(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for _, op := range s.Registry.Operations() {
		if op.NotATool != "" {
			continue
		}
		for _, input := range []string{"{\"text\": \"\xff\xfe\"}", `[1]`, `"text"`, `7`, `true`} {
			rest := s.SendRequest(t, surfacetest.Request{
				Method: op.Method(), Path: op.Path(), Token: surfacetest.AdminToken, Body: strings.NewReader(input),
			})
			requireSameError(t, op, core.InvalidRequest, rest, callMCP(t, s, op, surfacetest.AdminToken, input))
		}
	}
}
