package core

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Schema is a JSON Schema (2020-12).
type Schema map[string]any

// selfDescribed is a type with its own schema, such as Time.
type selfDescribed interface{ JSONSchema() Schema }

// selfNamed is a struct with its own name among the components. The name is empty for a struct that is always written
// out, such as Data: the struct inside has the name.
type selfNamed interface{ SchemaName() string }

// maxID is the largest id. Whole numbers up to it survive JSON readers that use floats (decisions 1).
const maxID = 1<<53 - 1

// reflector derives schemas from Go types. Tags describe a field: json, doc, min, max, enum (separated by |), default, format. In inputs
// nothing is nullable. In outputs a field may be null when its type allows it, unless it is tagged always.
type reflector struct {
	named bool // nouns become references into the OpenAPI components
	input bool
}

func (r reflector) typeSchema(t reflect.Type) Schema {
	if t.Kind() == reflect.Pointer {
		return r.pointerSchema(t.Elem())
	}
	if s, ok := reflect.Zero(t).Interface().(selfDescribed); ok {
		return s.JSONSchema()
	}
	if t == reflect.TypeFor[json.RawMessage]() { // any JSON; json.RawMessage cannot say so itself
		return Schema{}
	}
	switch t.Kind() {
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return Schema{"type": "integer"}
	case reflect.Float64:
		return Schema{"type": "number"}
	case reflect.Slice:
		return Schema{"type": "array", "items": withoutNull(r.typeSchema(t.Elem()))}
	case reflect.Struct:
		return r.structSchema(t)
	default:
		panic(fmt.Sprintf("core: no schema for %s", t))
	}
}

func (r reflector) pointerSchema(t reflect.Type) Schema {
	s := r.typeSchema(t)
	if r.input {
		return s
	}
	if _, reference := s["$ref"]; reference {
		return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
	}
	return orNull(s)
}

func (r reflector) structSchema(t reflect.Type) Schema {
	if name := nounName(t); r.named && name != "" {
		return Schema{"$ref": "#/components/schemas/" + name}
	}
	return r.objectSchema(t)
}

// objectSchema writes a struct out. Every field is required unless it is tagged omitempty.
func (r reflector) objectSchema(t reflect.Type) Schema {
	properties, required := Schema{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name := jsonName(f)
		if name == "" {
			continue
		}
		properties[name] = r.fieldSchema(f)
		if !isOptional(f) {
			required = append(required, name)
		}
	}
	schema := Schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

func (r reflector) fieldSchema(f reflect.StructField) Schema {
	s := r.typeSchema(f.Type)
	if f.Tag.Get("always") != "" || r.input {
		s = withoutNull(s)
	}
	if doc := docOf(f.Tag); doc != "" {
		s["description"] = doc
	}
	if enum := f.Tag.Get("enum"); enum != "" {
		s = withEnum(s, strings.Split(enum, "|"))
	}
	return s
}

// nounName returns the name of a struct among the components; empty for one that is always written out.
func nounName(t reflect.Type) string {
	if s, ok := reflect.Zero(t).Interface().(selfNamed); ok {
		return s.SchemaName()
	}
	return t.Name()
}

// writesItself reports whether the type writes its own JSON, such as Time.
func writesItself(t reflect.Type) bool {
	_, ok := reflect.Zero(t).Interface().(json.Marshaler)
	return ok
}

func jsonName(f reflect.StructField) string {
	if f.Anonymous || !f.IsExported() {
		return ""
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

func isOptional(f reflect.StructField) bool { return strings.Contains(f.Tag.Get("json"), ",omitempty") }

func orNull(s Schema) Schema {
	if name, ok := s["type"].(string); ok {
		s["type"] = []any{name, "null"}
	}
	return s
}

func withoutNull(s Schema) Schema {
	if types, ok := s["type"].([]any); ok {
		s["type"] = types[0]
	}
	return s
}

// withEnum limits a text, or the items of a list of texts, to the values.
func withEnum(s Schema, values []string) Schema {
	enum := make([]any, len(values))
	for i, v := range values {
		enum[i] = v
	}
	if items, ok := s["items"].(Schema); ok {
		items["enum"] = enum
		return s
	}
	if _, null := s["type"].([]any); null {
		enum = append(enum, nil)
	}
	s["enum"] = enum
	return s
}

// setLimits sets the tags min and max in the way that fits the type: a number's range, a text's characters, a list's length.
func setLimits(s Schema, tag reflect.StructTag) error {
	kind, _ := s["type"].(string)
	words := map[string][2]string{
		"integer": {"minimum", "maximum"},
		"number":  {"minimum", "maximum"},
		"string":  {"minLength", "maxLength"},
		"array":   {"minItems", "maxItems"},
	}[kind]
	for i, name := range []string{"min", "max"} {
		text := tag.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || words[i] == "" {
			return fmt.Errorf("tag %s:%q does not fit the type %v", name, text, s["type"])
		}
		s[words[i]] = n
	}
	return nil
}
