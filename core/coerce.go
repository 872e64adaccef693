package core

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
)

// number is what a text must look like to be taken as a number.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,18})(\.[0-9]+)?$`)

// coerce turns a value into the type of the field where its meaning is plain: "42" is 42, "true" is true, "a,b" is a
// list, and a project's numeric id may stand where its slug may. Anything else stays for the validator to refuse.
func coerce(field *Field, value any) any {
	if n, ok := value.(json.Number); ok && field.digits {
		return n.String()
	}
	if text, ok := value.(string); ok && field.commas && !strings.HasPrefix(text, "[") {
		return value
	}
	return coerceType(field.Schema, value)
}

func coerceType(s Schema, value any) any {
	text, isText := value.(string)
	if numeric := s["type"] == "integer" || s["type"] == "number"; numeric && isText && number.MatchString(text) {
		value = json.Number(text)
	}
	switch s["type"] {
	case "integer":
		if n, ok := value.(json.Number); ok {
			return wholeNumber(n)
		}
	case "boolean":
		if text == "true" || text == "false" {
			return text == "true"
		}
	case "array":
		return coerceList(s, value)
	}
	return value
}

// fraction stands for a number that is written in another way than a whole number is.
const fraction = json.Number("0.5")

// wholeNumber gives the validator a short literal with the same verdict as n, because it computes what it is given,
// and 1e999999 has a million digits. 30.0 and 3e1 are no whole numbers.
func wholeNumber(n json.Number) json.Number {
	const longest = 20 // digits; whoever has that many is out of every range
	digits := strings.TrimPrefix(string(n), "-")
	switch {
	case strings.ContainsAny(digits, ".eE"):
		return fraction
	case len(digits) > longest:
		return n[:len(n)-len(digits)+longest]
	default:
		return n
	}
}

func coerceList(s Schema, value any) any {
	items, isList := value.([]any)
	if text, isText := value.(string); isText {
		if strings.HasPrefix(text, "[") {
			dec := json.NewDecoder(strings.NewReader(text))
			dec.UseNumber()
			if err := dec.Decode(&items); err != nil {
				return value
			}
			if _, err := dec.Token(); !errors.Is(err, io.EOF) {
				return value
			}
		} else {
			for part := range strings.SplitSeq(text, ",") {
				items = append(items, strings.TrimSpace(part))
			}
		}
	} else if !isList {
		return value
	}
	if most, ok := s["maxItems"].(int64); ok && int64(len(items)) > most {
		items = items[:most+1] // too long in any case: no complaint about each of a million items
	}
	itemSchema, _ := s["items"].(Schema)
	for i := range items {
		items[i] = coerceType(itemSchema, items[i])
	}
	return items
}
