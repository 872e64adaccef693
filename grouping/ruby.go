package grouping

import "strings"

// appendRuby appends the method around blocks and clauses, without the class that Ruby 3.4 began to put before it.
// Methods that begin with an underscore are made by frameworks, which number them (_run_callback_233).
func appendRuby(b []byte, name string) []byte {
	for {
		scope, method, found := strings.Cut(name, " in ")
		if !found || !isRubyScope(scope) {
			break
		}
		name = method
	}
	if i := strings.LastIndexAny(name, "#."); i >= 0 && i+1 < len(name) && !strings.ContainsAny(name, " /<") {
		name = name[i+1:]
	}
	if !strings.HasPrefix(name, "_") {
		return append(b, name...)
	}
	start := len(b)
	for i := range len(name) {
		isMinus := name[i] == '_' && len(b) > start && b[len(b)-1] == '_' // of a number below zero
		if !isDigit(rune(name[i])) && !isMinus {
			b = append(b, name[i])
		}
	}
	return b
}

func isRubyScope(s string) bool {
	return s == "block" || s == "rescue" || s == "ensure" || strings.HasPrefix(s, "block (")
}
