package grouping

import "strings"

// appendRuby appends the method around blocks and clauses, without the class that Ruby 3.4 began to put before it.
// Methods that begin with an underscore are made by frameworks, which number them (_run_callback_233).
func appendRuby(buf []byte, name string) []byte {
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
		return append(buf, name...)
	}
	start := len(buf)
	for i := range len(name) {
		isMinus := name[i] == '_' && len(buf) > start && buf[len(buf)-1] == '_' // of a number below zero
		if !isDigit(rune(name[i])) && !isMinus {
			buf = append(buf, name[i])
		}
	}
	return buf
}

func isRubyScope(s string) bool {
	return s == "block" || s == "rescue" || s == "ensure" || strings.HasPrefix(s, "block (")
}
