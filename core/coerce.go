package core

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// numberForm is the form of a text that is read as a number.
var numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,18})(\.[0-9]+)?$`)

// coerceField turns a value into the type of the field where its meaning is plain: "42" is 42, "true" is true, "a,b" is a
// list, and a project's id may be a number. Any other value stays as it is, for the validator to refuse.
func coerceField(field *Field, value any) any {
	if n, ok := value.(json.Number); ok && field.acceptsNumber {
		return wholeNumber(n).String()
	}
	if text, ok := value.(string); ok && field.keepsCommas && !strings.HasPrefix(text, "[") {
		return value
	}
	return coerceType(field.Schema, value)
}

func coerceType(s Schema, value any) any {
	text, isText := value.(string)
	if numeric := s["type"] == "integer" || s["type"] == "number"; numeric && isText && numberForm.MatchString(text) {
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

// maxDigits is how many digits of a whole number the validator sees. A number of 20 digits is outside every range.
const maxDigits = 20

// wholeNumber writes a number without a fraction in digits alone: 60.0 and 6e1 are the integer 60 (JSON Schema 2020-12).
// Numbers with a fraction and huge ones are shortened: the validator would compute all million digits of 1e999999.
func wholeNumber(n json.Number) json.Number {
	sign, digits := "", string(n)
	if unsigned, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", unsigned
	}
	mantissa, power := digits, ""
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		mantissa, power = digits[:at], digits[at+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	exponent := shortExponent(power) - len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	switch {
	case exponent < 0:
		return json.Number(sign + "0.5")
	case len(trimmed)+exponent > maxDigits:
		return json.Number(sign + strings.Repeat("9", maxDigits))
	default:
		return json.Number(sign + trimmed + strings.Repeat("0", exponent))
	}
}

// shortExponent reads an exponent. It caps exponents beyond the digits that a body of 1 MB could hold.
func shortExponent(text string) int {
	const beyond = 1 << 24
	n, err := strconv.Atoi(text)
	switch {
	case text == "":
		return 0
	case err != nil && text[0] == '-':
		return -beyond
	case err != nil:
		return beyond
	default:
		return max(-beyond, min(n, beyond))
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
		items = items[:most+1] // too long in any case: a million items need no million complaints
	}
	itemSchema, _ := s["items"].(Schema)
	for i := range items {
		items[i] = coerceType(itemSchema, items[i])
	}
	return items
}
