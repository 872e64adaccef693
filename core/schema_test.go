package core

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// plainSchema returns the schema as a reader of the JSON sees it.
func plainSchema(t *testing.T, s Schema) map[string]any {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var plain map[string]any
	require.NoError(t, json.Unmarshal(text, &plain))
	return plain
}

func compileSchema(t *testing.T, document any) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(document)
	require.NoError(t, err)
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", plain))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err)
	return compiled
}

// walkSchema calls visit for a schema and everything below it.
func walkSchema(path string, s map[string]any, visit func(path string, s map[string]any)) {
	visit(path, s)
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		walkSchema(path+"."+name, p.(map[string]any), visit)
	}
	if items, ok := s["items"].(map[string]any); ok {
		walkSchema(path+"[]", items, visit)
	}
}

// A model provider that refuses one schema refuses the agent's whole list of tools.
func TestInputSchemasAreTakenByEveryClient(t *testing.T) {
	t.Parallel()
	propertyName := regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	words := []string{"type", "properties", "required", "additionalProperties", "items", "description", "enum", "default", "format",
		"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
	eachOperation(t, func(t *testing.T, op *Operation) {
		schema := plainSchema(t, op.InputSchema())
		require.Equal(t, "object", schema["type"])
		require.Equal(t, false, schema["additionalProperties"])
		compileSchema(t, schema)
		if op.NotATool != "" {
			return // no model reads this
		}
		walkSchema("", schema, func(path string, s map[string]any) {
			require.Subset(t, words, slices.Collect(maps.Keys(s)), "no references, no combinators: "+path)
			if typ, ok := s["type"]; ok {
				require.IsType(t, "", typ, "no nullable types: "+path)
			}
			properties, _ := s["properties"].(map[string]any)
			for name := range properties {
				require.Regexp(t, propertyName, name)
			}
			if s["type"] == "integer" {
				require.GreaterOrEqual(t, s["minimum"], -float64(maxID), path)
				require.LessOrEqual(t, s["maximum"], float64(maxID), path)
			}
			if s["type"] == "array" && op.ServedBy == "" {
				require.Contains(t, s, "maxItems", "a list without a bound: "+path)
			}
		})
	})
}

// Outputs require every member (decisions 1: absent values are null, not missing).
func TestOutputSchemasRequireEveryProperty(t *testing.T) {
	t.Parallel()
	requireAll := func(path string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		require.Len(t, required, len(properties), path)
		for name := range properties {
			require.Contains(t, required, name, path)
		}
		require.NotContains(t, s, "additionalProperties", "outputs stay open: "+path)
		if items, ok := s["items"].(map[string]any); ok {
			require.False(t, takesNull(items), "what is absent is not in the list: "+path)
		}
	}
	for _, op := range V1.Operations() {
		if s := op.OutputSchema(false); s != nil {
			require.Equal(t, "object", s["type"], op.Name)
			if op.Warns { // warnings are present only when there are some
				delete(s["properties"].(Schema), warningsField)
			}
			walkSchema(op.Name, plainSchema(t, s), requireAll)
		}
	}
	for name, s := range V1.Components() {
		walkSchema(name, plainSchema(t, s), requireAll)
	}
}

// The members of the nouns that may be null, from the specification and decisions 3. A missing or superfluous always tag fails this test.
func TestNullableMembers(t *testing.T) {
	t.Parallel()
	components := V1.Components()
	for noun, want := range map[string]string{
		"Issue":       "approval claim culprit first_release last_release merged_into source type",
		"IssueDetail": "approval claim culprit first_release fix ignored_until last_release latest_event_id merged_into source type",
		"Claim":       "worker",
		"Fix":         "commit deployed_at environment outcome overdue pr_url regressed_at regressed_in release verified_at verify_after",
		"IngestState": "last_event_at quota",
		"Activity":    "actor_id data",
		"EventRow":    "environment release user_hash",
		"Receipt":     "id",
		"NoteID":      "",
		"ListedProject": "allowed_origins client_seen_at daily_quota last_event_at platform repository server_seen_at source " +
			"trust_setting",
		"ProjectKey": "",
		"Token":      "created_by last_used_at project_id project_name revoked_at",
		"Identity":   "id prefix project_id project_name",
		"Exception":  "mechanism module type value",
		"Mechanism":  "handled type",
		"Problem":    "",
	} {
		require.Contains(t, components, noun)
		var got []string
		properties, _ := plainSchema(t, components[noun])["properties"].(map[string]any)
		for name, p := range properties {
			if takesNull(p.(map[string]any)) {
				got = append(got, name)
			}
		}
		require.ElementsMatch(t, strings.Fields(want), got, noun)
	}
}

func takesNull(s map[string]any) bool {
	if types, ok := s["type"].([]any); ok {
		return slices.Contains(types, any("null"))
	}
	_, union := s["anyOf"]
	_, reference := s["$ref"]
	return union || s["type"] == nil && !reference // a schema without a type takes everything
}

// filler makes values of output types. The smallest value lacks everything that may be absent; a full one has everything.
type filler struct{ full bool }

func (f filler) newValue(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	f.fillValue(v, "")
	return v
}

func (f filler) fillValue(v reflect.Value, tag reflect.StructTag) {
	if words, ok := (reflector{}).typeSchema(v.Type())["enum"].([]any); ok {
		v.SetString(words[0].(string))
		return
	}
	if v.Type() == reflect.TypeFor[HeldPayload]() {
		v.SetString("{}")
		return
	}
	if enum := tag.Get("enum"); enum != "" && v.Kind() == reflect.String && (f.full || !nullWhenEmpty(v.Type())) {
		v.SetString(strings.Split(enum, "|")[0])
		return
	}
	if !f.full && tag.Get("always") == "" && v.Kind() != reflect.Struct {
		return
	}
	switch v.Interface().(type) {
	case Time:
		if f.full || tag.Get("always") != "" {
			v.Set(reflect.ValueOf(At(time.Date(2026, 1, 3, 18, 22, 50, 123e6, time.UTC))))
		}
		return
	case Value:
		if f.full {
			v.Set(reflect.ValueOf(Value{Kind: Object, Kids: []Member{{"plan", StringValue("pro")}}}))
		}
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"from":"unresolved"}`)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				f.fillValue(v.Field(i), v.Type().Field(i).Tag)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fillValue(v.Elem(), tag)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fillValue(v.Index(0), tag)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.String:
		v.SetString("<text> & \u2028")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(12.125)
	default:
		v.SetInt(42)
	}
}

// nullWhenEmpty reports whether the type writes null for "".
func nullWhenEmpty(t reflect.Type) bool {
	text, err := json.Marshal(reflect.Zero(t).Interface())
	return err == nil && string(text) == "null"
}

// requireMembers checks that the value has exactly the schema's properties, all the way down.
func requireMembers(t *testing.T, path string, s map[string]any, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		if properties, ok := s["properties"].(map[string]any); ok {
			require.ElementsMatch(t, slices.Collect(maps.Keys(properties)), slices.Collect(maps.Keys(value)), path)
			for name, member := range value {
				requireMembers(t, path+"."+name, properties[name].(map[string]any), member)
			}
		}
	case []any:
		for _, item := range value {
			requireMembers(t, path+"[]", s["items"].(map[string]any), item)
		}
	}
}

func TestOutputsAreWhatTheirSchemasSay(t *testing.T) {
	t.Parallel()
	components := V1.Components()
	eachOperation(t, func(t *testing.T, op *Operation) {
		written, named := op.OutputSchema(false), op.OutputSchema(true)
		if written == nil {
			require.Nil(t, named)
			return
		}
		standing := &Standing{} // fill in the warnings, which an answer without any leaves out
		if op.Warns {
			standing.WarnOfHolder(1, Claim{Holder: "agent"})
		}
		named["components"] = map[string]any{"schemas": components}
		for name, f := range map[string]filler{"least": {}, "full": {full: true}} {
			answer, err := newAnswer(op, f.newValue(op.out).Interface(), standing)
			require.NoError(t, err)
			body := answer.Body
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
			require.NoError(t, err)
			require.NoError(t, compileSchema(t, written).Validate(value), "%s: %s", name, body)
			require.NoError(t, compileSchema(t, named).Validate(value), "%s, by components: %s", name, body)
			requireMembers(t, op.Name, plainSchema(t, written), value)
			if f.full {
				require.NotContains(t, string(body), "null")
			}
		}
	})
}

// Every reference in an output or a component leads to a component, and every component is referred to.
func TestComponentsResolveAllReferences(t *testing.T) {
	t.Parallel()
	const prefix = "#/components/schemas/"
	components, used := V1.Components(), map[string]bool{}
	var follow func(v any)
	follow = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name, local := strings.CutPrefix(ref, prefix)
				require.True(t, local, ref)
				require.Contains(t, components, name)
				used[name] = true
			}
			for _, kid := range v {
				follow(kid)
			}
		case []any:
			for _, kid := range v {
				follow(kid)
			}
		}
	}
	for _, op := range V1.Operations() {
		if s := op.OutputSchema(true); s != nil {
			follow(plainSchema(t, s))
		}
	}
	for _, s := range components {
		follow(plainSchema(t, s))
	}
	for name := range components {
		require.True(t, used[name], "nothing refers to %s", name)
	}
}

func TestSchemaOfTags(t *testing.T) {
	t.Parallel()
	type tagged struct {
		Text    string   `json:"text" doc:"A text, with a comma." min:"1" max:"9"`
		Count   *int64   `json:"count" min:"-5" max:"5"`
		Numbers []int64  `json:"numbers,omitempty" max:"3"`
		Colours []string `json:"colours,omitempty" enum:"red|blue" max:"2"`
		Time    Time     `json:"time,omitempty"`
		Flag    bool     `json:"flag" default:"true"`
		Hidden  string   `json:"-"`
		unseen  string
	}
	in, err := compileInput(reflect.TypeOf(tagged{unseen: "not exported, not a field"}))
	require.NoError(t, err)
	text, err := json.Marshal(in.schema)
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["text"],"properties":{
		"text":{"type":"string","description":"A text, with a comma.","minLength":1,"maxLength":9},
		"count":{"type":"integer","minimum":-5,"maximum":5},
		"numbers":{"type":"array","maxItems":3,"items":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}},
		"colours":{"type":"array","maxItems":2,"items":{"type":"string","enum":["red","blue"]}},
		"time":{"type":"string","format":"date-time"},
		"flag":{"type":"boolean","default":true}}}`, string(text))
}

func TestBadTagsAreRefused(t *testing.T) {
	t.Parallel()
	for want, typ := range map[string]reflect.Type{
		`field A: tag max:"many" does not fit the type string`: reflect.TypeFor[struct {
			A string `json:"a" max:"many"`
		}](),
		`field B: tag min:"1" does not fit the type boolean`: reflect.TypeFor[struct {
			B bool `json:"b" min:"1"`
		}](),
	} {
		_, err := compileInput(typ)
		require.EqualError(t, err, want)
	}
}
