package client

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"errand/core"
)

// OperationInput is the input of an operation on the command line: a flag for each field, as its schema describes it.
type OperationInput struct {
	op    *core.Operation
	flags reflect.Value // pointer to a struct with a field for each field of the input, in order
}

// NewOperationInput returns the input of the operation with the name, and whether there is such an operation.
func NewOperationInput(name string) (*OperationInput, bool) {
	at := slices.IndexFunc(core.V1.Operations(), func(op *core.Operation) bool { return op.Name == name })
	if at < 0 {
		return nil, false
	}
	op := core.V1.Operations()[at]
	fields := make([]reflect.StructField, len(op.Fields()))
	for i := range fields {
		fields[i] = flagOf(op, i)
	}
	return &OperationInput{op, reflect.New(reflect.StructOf(fields))}, true
}

// ListOperationNames returns the names of all operations.
func ListOperationNames() []string {
	var names []string
	for _, op := range core.V1.Operations() {
		names = append(names, op.Name)
	}
	return names
}

// Flags returns a pointer to a struct whose fields are flags for kong. A call reads their values.
func (in *OperationInput) Flags() any { return in.flags.Interface() }

// Summary says in a few words what the operation does.
func (in *OperationInput) Summary() string { return in.op.Summary + "." }

// Describe says what the operation does and which scope it needs, and shows an example input.
func (in *OperationInput) Describe() string {
	text := in.op.Description
	switch in.op.Scope {
	case core.AnyToken:
	case core.NoToken:
		text += " ERRAND_TOKEN is the key of a DSN."
	default:
		text += " Needs the scope " + string(in.op.Scope) + "."
	}
	if in.op.Body != nil {
		text += fmt.Sprintf(" --file: %s At most %d MB.", in.op.Body.Doc, in.op.Body.MaxBytes>>20)
	}
	if in.op.Example != "" {
		text += "\n\nFor example, with --input: " + in.op.Example
	}
	return text
}

// flagsOfAll are the flags of every call. The flag of a field with such a name gets the prefix field-.
var flagsOfAll = []string{"url", "token", "json", "table", "columns", "input", "file", "help"}

// flagNameOf returns the name of a field's flag, without dashes.
func flagNameOf(field core.Field) string {
	name := strings.ReplaceAll(field.Name, "_", "-")
	if slices.Contains(flagsOfAll, name) {
		return "field-" + name
	}
	return name
}

// takeURL returns where Errand runs. For an operation with a field url, such as create_webhook, --url is the field, and only ERRAND_URL
// says where Errand runs: the token must not go to the address of a receiver.
func (in *OperationInput) takeURL(o CallOptions) string {
	for i, field := range in.op.Fields() {
		if field.Name != "url" {
			continue
		}
		if flag := in.flags.Elem().Field(i); flag.IsNil() && o.URL != o.OwnURL {
			flag.Set(reflect.ValueOf(&o.URL))
		}
		return o.OwnURL
	}
	return o.URL
}

// flagAliases returns the other names of a field's flag: the name of the field, and the field's other name.
func flagAliases(op *core.Operation, field core.Field) (aliases []string) {
	if strings.Contains(field.Name, "_") {
		aliases = append(aliases, field.Name)
	}
	if other := op.OtherName(field); other != "" {
		aliases = append(aliases, other, strings.ReplaceAll(other, "_", "-"))
	}
	return slices.Compact(aliases)
}

// flagOf describes the flag of a field in the tags of kong. It is a pointer, which is nil when the flag was not given.
func flagOf(op *core.Operation, i int) reflect.StructField {
	field := op.Fields()[i]
	name := flagNameOf(field)
	tag := fmt.Sprintf(`name:%q help:%q placeholder:%q`, name, helpOf(field), placeholderOf(field.Schema))
	if aliases := flagAliases(op, field); aliases != nil {
		tag += fmt.Sprintf(` aliases:%q`, strings.Join(aliases, ","))
	}
	kind := reflect.TypeFor[*string]()
	switch field.Schema["type"] {
	case "boolean":
		kind, tag = reflect.TypeFor[*bool](), tag+` negatable:""`
	case "array":
		kind, tag = reflect.TypeFor[[]string](), tag+` sep:"none"`
	}
	return reflect.StructField{Name: fmt.Sprintf("Field%d", i), Type: kind, Tag: reflect.StructTag(tag)}
}

// helpOf returns the text of --help for a field: its description, its default, and whether it is required.
func helpOf(field core.Field) string {
	text := strings.TrimSuffix(field.Doc, ".")
	if field.Name == "url" {
		text += "; --url is this field too, and only ERRAND_URL says where Errand runs"
	}
	if schema, _ := field.Schema["items"].(core.Schema); schema != nil {
		text += "; repeat the flag, or separate with commas"
		if field.KeepsCommas() {
			text = strings.TrimSuffix(text, ", or separate with commas")
		}
	}
	if fallback := field.Schema["default"]; fallback != nil {
		text += fmt.Sprintf(" (default: %v)", fallback)
	}
	if field.Required {
		text += " (required)"
	}
	return strings.ReplaceAll(text+".", "$", "$$") // kong expands ${name}
}

// placeholderOf returns the placeholder for a value in --help.
func placeholderOf(schema core.Schema) string {
	if items, ok := schema["items"].(core.Schema); ok {
		schema = items
	}
	if words, ok := schema["enum"].([]any); ok {
		return joinWords(words, "|")
	}
	switch schema["type"] {
	case "integer", "number":
		return "NUMBER"
	case "string":
		return "TEXT"
	case "boolean":
		return ""
	}
	return "JSON"
}

func joinWords(words []any, separator string) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = fmt.Sprint(word)
	}
	return strings.Join(texts, separator)
}

// readFlags adds the given flags to the arguments of a call.
func (in *OperationInput) readFlags(into map[string]any) error {
	for i, field := range in.op.Fields() {
		given := in.flags.Elem().Field(i)
		if given.IsZero() {
			continue
		}
		value, err := readFlag(field, given.Interface())
		if err != nil {
			return usageError("--" + flagNameOf(field) + " " + err.Error())
		}
		into[field.Name] = value
	}
	return nil
}

func readFlag(field core.Field, given any) (any, error) {
	switch given := given.(type) {
	case *bool:
		return *given, nil
	case *string:
		return readText(field.Schema, cutName(field, *given))
	}
	items, _ := field.Schema["items"].(core.Schema)
	list := []any{}
	for _, text := range given.([]string) { //nolint:forcetypeassert // flagOf makes only these
		parts := []string{text}
		if !field.KeepsCommas() {
			parts = strings.Split(text, ",")
		}
		for _, part := range parts {
			value, err := readText(items, cutName(field, strings.TrimSpace(part)))
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
	}
	return list, nil
}

// cutName returns the id of an issue that is named like "#42".
func cutName(field core.Field, text string) string {
	if field.IsOfIssues() {
		return core.CutIssueName(text)
	}
	return text
}

// readText reads the text of a flag by its schema. The server reports other faults of a value.
func readText(schema core.Schema, text string) (any, error) {
	if words, ok := schema["enum"].([]any); ok && !slices.Contains(words, any(text)) {
		return nil, fmt.Errorf("must be one of %s, not %q", joinWords(words, ", "), text)
	}
	switch schema["type"] {
	case "string":
		return text, nil
	case "integer":
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("must be a whole number, not %q", text)
		}
		return json.Number(text), nil
	case "number":
		if _, err := strconv.ParseFloat(text, 64); err != nil || !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("must be a number, not %q", text)
		}
		return json.Number(text), nil
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if _, hasOneType := schema["type"]; hasOneType {
		return nil, fmt.Errorf("must be JSON, not %q", text)
	}
	return text, nil // one of several forms, such as a time
}
