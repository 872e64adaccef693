package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Field is one field of an operation's input.
type Field struct {
	Name     string
	Doc      string
	Required bool
	Schema   Schema

	fallback      any  // the default; nil for none
	forModels     any  // the default for calls whose answer a model reads, when it differs
	acceptsNull   bool // null has a meaning: the field is an Opt
	acceptsNumber bool // a number is accepted as the text of its digits
	handlerCleans bool // the handler cleans the text, so control characters are not a mistake
	isIssue       bool // the field is the id of an issue
	isIssues      bool // the field is a list of ids of issues
	isPlain       bool // the name needs no description for a model
	keepsCommas   bool // items of the list may contain commas, so a text is not split at them
}

// IsOfIssues reports whether the field is the id of an issue, or a list of them.
func (f Field) IsOfIssues() bool { return f.isIssue || f.isIssues }

// KeepsCommas reports whether items of the list may contain commas, so that a text is not split at them.
func (f Field) KeepsCommas() bool { return f.keepsCommas }

// BodySchema is the schema of the field in a body of JSON: with null where null has a meaning, and whole numbers where they are taken
// for the text of their digits. Schema, which models read, says that in words.
func (f Field) BodySchema() Schema {
	kind, hasKind := f.Schema["type"].(string)
	types := []any{kind}
	if f.acceptsNumber {
		types = append(types, "integer")
	}
	if f.acceptsNull {
		types = append(types, "null")
	}
	if !hasKind || len(types) == 1 {
		return f.Schema
	}
	schema := maps.Clone(f.Schema)
	schema["type"] = types
	if words, isEnum := schema["enum"].([]any); isEnum && f.acceptsNull {
		schema["enum"] = append(slices.Clone(words), nil)
	}
	return schema
}

// optionalField is Opt of any type.
type optionalField interface{ valueType() reflect.Type }

// textOfNumber is a type of text that may be sent as a number, such as ProjectRef.
type textOfNumber interface{ acceptsNumber() bool }

// input is the compiled form of an input struct.
type input struct {
	fields []Field
	byName map[string]*Field
	schema Schema
	rules  func() (*jsonschema.Schema, error) // compiled for the first call
}

// checker is an input, or the type of a field, with rules that a schema cannot express.
type checker interface{ Check() error }

// compileInput reads the tags of an input struct: json, doc, min, max, enum, default, format, cleaned, commas. A field is
// required unless it has a default, is an Opt or a pointer, or is tagged omitempty.
func compileInput(t reflect.Type) (*input, error) {
	in := &input{byName: map[string]*Field{}}
	properties, required := Schema{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		if jsonName(f) == "" {
			continue
		}
		field, err := compileField(f)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		in.fields = append(in.fields, field)
		properties[field.Name] = field.Schema
		if field.Required {
			required = append(required, field.Name)
		}
	}
	for i := range in.fields {
		in.byName[in.fields[i].Name] = &in.fields[i]
	}
	in.schema = Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		in.schema["required"] = required
	}
	in.rules = sync.OnceValues(in.compileRules)
	return in, nil
}

// compileField reads one field of an input struct.
func compileField(f reflect.StructField) (Field, error) {
	field := Field{
		Name:          jsonName(f),
		Doc:           docOf(f.Tag),
		Required:      !isOptional(f) && f.Type.Kind() != reflect.Pointer,
		handlerCleans: f.Tag.Get("cleaned") != "",
		keepsCommas:   f.Tag.Get("commas") != "",
		isIssue:       f.Tag.Get("issue") == "true",
		isIssues:      f.Tag.Get("issue") == "list",
		isPlain:       f.Tag.Get("plain") != "",
	}
	if wrapped, ok := reflect.Zero(f.Type).Interface().(optionalField); ok {
		f.Type = wrapped.valueType()
		field.Required, field.acceptsNull = false, true
	}
	if text, ok := reflect.Zero(f.Type).Interface().(textOfNumber); ok {
		field.acceptsNumber = text.acceptsNumber()
	}
	var err error
	if field.Schema, err = limitedSchema(f); err != nil {
		return field, err
	}
	if text, ok := f.Tag.Lookup("default"); ok {
		field.Required = false
		field.fallback = coerceField(&field, text)
		field.Schema["default"] = field.fallback
	}
	if text, ok := f.Tag.Lookup("models"); ok {
		field.forModels = coerceField(&field, text)
	}
	return field, nil
}

// limitedSchema is the schema of a field of an input, with its limits and its format.
func limitedSchema(f reflect.StructField) (Schema, error) {
	schema := reflector{input: true}.fieldSchema(f)
	if err := setLimits(schema, f.Tag); err != nil {
		return nil, err
	}
	boundIntegers(schema)
	if format := f.Tag.Get("format"); format != "" {
		schema["format"] = format
	}
	return schema, nil
}

// boundIntegers keeps whole numbers, alone or in a list, exact for readers that use floats (decisions 1).
func boundIntegers(s Schema) {
	if items, ok := s["items"].(Schema); ok {
		boundIntegers(items)
	}
	if s["type"] != "integer" {
		return
	}
	for word, limit := range map[string]int64{"minimum": -maxID, "maximum": maxID} {
		if s[word] == nil {
			s[word] = limit
		}
	}
}

func (in *input) compileRules() (*jsonschema.Schema, error) {
	text, err := json.Marshal(in.schema)
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("input.json", document); err != nil {
		return nil, err
	}
	return c.Compile("input.json")
}

// prepareArgs brings the arguments of a call into the shape of the schema and validates them. It understands null for an
// absent value and "42" for 42. The error names every other mistake.
func (in *input) prepareArgs(args map[string]any, forModel bool) error {
	nulls := map[string]bool{}
	for name, value := range args {
		field, known := in.byName[name]
		switch {
		case !known:
		case value == nil && !field.Required:
			delete(args, name)
			nulls[name] = field.acceptsNull
		default:
			args[name] = coerceField(field, value)
		}
	}
	for i := range in.fields {
		field := &in.fields[i]
		if _, given := args[field.Name]; given {
			continue
		}
		switch {
		case forModel && field.forModels != nil:
			args[field.Name] = field.forModels
		case field.fallback != nil:
			args[field.Name] = field.fallback
		}
	}
	if err := in.validateArgs(args); err != nil {
		return err
	}
	for name, means := range nulls {
		if means {
			args[name] = nil
		}
	}
	return nil
}

// decodeArgs fills the input struct and runs its checks: one for each field's type, and one for the whole.
func decodeArgs(args map[string]any, into any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return RefuseField("", "a value cannot be read, such as a time that does not exist").Because(err)
	}
	return checkInput(into)
}

// checkInput runs Check of each field's type, then of the whole input.
func checkInput(into any) error {
	value := reflect.ValueOf(into).Elem()
	for _, f := range reflect.VisibleFields(value.Type()) {
		name, field := jsonName(f), value.FieldByIndex(f.Index)
		if name == "" || field.Kind() == reflect.Pointer && field.IsNil() {
			continue
		}
		if c, ok := field.Interface().(checker); ok {
			if err := c.Check(); err != nil {
				return RefuseField(name, "%s", err)
			}
		}
	}
	if c, ok := value.Interface().(checker); ok {
		return c.Check()
	}
	return nil
}

// decodeStrict reads exactly one JSON value in valid UTF-8.
func decodeStrict(body []byte, into *map[string]any) error {
	if !utf8.Valid(body) {
		return RefuseField("", "the body must be valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return RefuseField("", "the body must be a JSON object: %s", jsonProblem(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return RefuseField("", "the body must be one JSON object, with nothing after it")
	}
	if *into == nil {
		return RefuseField("", "the body must be a JSON object")
	}
	return nil
}

// jsonProblem words a decoding error without Go's type names.
func jsonProblem(err error) string {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s (at byte %d)", strings.TrimPrefix(syntax.Error(), "json: "), syntax.Offset)
	case errors.As(err, &wrong):
		return "it is a JSON " + wrong.Value
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	default:
		return "it cannot be read"
	}
}
