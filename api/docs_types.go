package api

import (
	"fmt"
	"html/template"
	"strings"

	"errand/core"
)

// member is one property of an object's schema.
type member struct {
	name   string
	schema core.Schema
}

// membersOf returns the properties of an object in the order of their declaration. The list of required ones keeps that
// order, and in outputs it has all of them.
func membersOf(object core.Schema) []member {
	properties, _ := object["properties"].(core.Schema)
	names, _ := object["required"].([]string)
	var members []member
	for _, name := range names {
		schema, _ := properties[name].(core.Schema)
		members = append(members, member{name, schema})
	}
	return members
}

// typeHTML describes in words what a schema allows, with links to the objects.
func (d *dialect) typeHTML(schema core.Schema) template.HTML {
	words := []string{d.baseType(schema)}
	words = append(words, limitWords(schema)...)
	return template.HTML(strings.Join(words, ", ")) // consists of core's own words, escaped below
}

func (d *dialect) baseType(schema core.Schema) string {
	if ref, ok := schema["$ref"].(string); ok {
		name := template.HTMLEscapeString(ref[strings.LastIndex(ref, "/")+1:])
		return `<a href="` + d.docsPath + "/" + objectsPart + "#" + name + `">` + name + `</a>`
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if either, ok := schema[word].([]any); ok {
			return d.eitherType(either)
		}
	}
	switch kind := schema["type"].(type) {
	case []any: // a type and null
		return d.namedType(schema, fmt.Sprint(kind[0])) + " or null"
	case string:
		return d.namedType(schema, kind)
	default:
		return "any JSON"
	}
}

func (d *dialect) eitherType(either []any) string {
	words := make([]string, len(either))
	for i := range either {
		one, _ := either[i].(core.Schema)
		words[i] = d.baseType(one)
	}
	return strings.Join(words, " or ")
}

func (d *dialect) namedType(schema core.Schema, kind string) string {
	switch {
	case schema["enum"] != nil:
		return enumHTML(schema)
	case kind == "array":
		items, _ := schema["items"].(core.Schema)
		return "list of " + d.baseType(items)
	case schema["format"] == "date-time":
		return "time"
	default:
		return template.HTMLEscapeString(kind)
	}
}

func enumHTML(schema core.Schema) string {
	values, _ := schema["enum"].([]any)
	var words []string
	for _, v := range values {
		if v != nil { // the type names null
			words = append(words, "<code>"+template.HTMLEscapeString(fmt.Sprint(v))+"</code>")
		}
	}
	return strings.Join(words, " | ")
}

// noLimit is the maximum of whole numbers without their own limit: beyond it JSON readers lose digits.
const noLimit = int64(1<<53 - 1)

// limitWords describes the range or length, and the default.
func limitWords(schema core.Schema) []string {
	var words []string
	for _, limit := range []struct{ min, max, unit string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", " characters"}, {"minItems", "maxItems", " items"},
	} {
		least, most := schema[limit.min], schema[limit.max]
		if most == noLimit {
			most = nil
		}
		if least == -noLimit {
			least = nil
		}
		switch {
		case least != nil && most != nil:
			words = append(words, fmt.Sprintf("%v to %v%s", least, most, limit.unit))
		case most != nil:
			words = append(words, fmt.Sprintf("at most %v%s", most, limit.unit))
		case least != nil:
			words = append(words, fmt.Sprintf("at least %v%s", least, limit.unit))
		}
	}
	if fallback := schema["default"]; fallback != nil {
		words = append(words, "default "+template.HTMLEscapeString(fmt.Sprint(fallback)))
	}
	return words
}

// answerHTML is the shape of an answer: {data: Issue} with links to the objects; empty for an answer without a body.
func (d *dialect) answerHTML(schema core.Schema) template.HTML {
	if schema == nil {
		return ""
	}
	return template.HTML(d.answerShape(schema)) // consists of core's own words, escaped in shape
}

func (d *dialect) answerShape(schema core.Schema) string {
	switch {
	case schema["properties"] != nil:
		var parts []string
		for _, m := range membersOf(schema) {
			parts = append(parts, template.HTMLEscapeString(m.name)+": "+d.answerShape(m.schema))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case schema["type"] == "array":
		items, _ := schema["items"].(core.Schema)
		return "[" + d.answerShape(items) + "]"
	default:
		return d.baseType(schema)
	}
}
