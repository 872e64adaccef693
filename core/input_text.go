package core

import (
	"strconv"
	"strings"
)

// checkText finds the character U+0000, which no database column takes, in texts that no handler cleans.
func (in *input) checkText(args map[string]any) []Detail {
	var wrong []Detail
	for name, value := range args {
		if field, known := in.byName[name]; known && !field.handlerCleans {
			if path, found := findNul(name, value); found {
				wrong = append(wrong, Detail{path, "must not contain the character U+0000"})
			}
		}
	}
	return wrong
}

// findNul returns the dotted path, such as scopes.1, of the first text in v that contains U+0000.
func findNul(path string, v any) (at string, found bool) {
	switch v := v.(type) {
	case string:
		return path, strings.ContainsRune(v, 0)
	case []any:
		for i, item := range v {
			if at, found := findNul(joinPath(path, strconv.Itoa(i)), item); found {
				return at, true
			}
		}
	case map[string]any:
		for key, item := range v {
			if strings.ContainsRune(key, 0) {
				return path, true
			}
			if at, found := findNul(joinPath(path, key), item); found {
				return at, true
			}
		}
	}
	return "", false
}
