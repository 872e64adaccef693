package grouping

import (
	"bytes"
	"strings"
)

// appendGo appends the full name of a function without the numbers of closures and without type arguments. SDKs cut
// the name at different dots (module "main", function "run.func1"; or module "main.run.func1", function "2"), so that
// only the whole is stable.
func appendGo(b []byte, module, function string) []byte {
	start := len(b)
	if i := strings.LastIndex(module, "/vendor/"); i >= 0 {
		module = module[i+len("/vendor/"):]
	}
	module = withoutTypeArguments(module)
	folder := strings.LastIndexByte(module, '/') + 1
	b = append(b, module[:folder]...)
	b = appendGoParts(b, start, module[folder:])
	return appendGoParts(b, start, withoutTypeArguments(function))
}

// appendGoParts appends the parts of a name between dots; closures within closures count as one.
func appendGoParts(b []byte, start int, name string) []byte {
	for part := range strings.SplitSeq(name, ".") {
		part = plainGoPart(part)
		if part == "" || part == "func" && bytes.HasSuffix(b[start:], []byte(".func")) {
			continue
		}
		if len(b) > start && b[len(b)-1] != '/' {
			b = append(b, '.')
		}
		b = append(b, part...)
	}
	return b
}

// plainGoPart gives every closure the same name, whatever its number.
func plainGoPart(part string) string {
	if part == "" || !isDigit(rune(part[len(part)-1])) && strings.IndexByte(part, '-') < 0 {
		return part
	}
	part = strings.TrimSuffix(part, "-fm") // a method value
	if i := strings.Index(part, "-range"); i >= 0 {
		part = part[:i] // the body of a loop over a function
	}
	for _, prefix := range [...]string{"func", "gowrap", "deferwrap", ""} {
		number, found := strings.CutPrefix(part, prefix)
		if found && number != "" && strings.TrimFunc(number, isDigit) == "" {
			return "func"
		}
	}
	return part
}

// withoutTypeArguments drops what is between brackets.
func withoutTypeArguments(name string) string {
	if strings.IndexByte(name, '[') < 0 {
		return name
	}
	kept := make([]byte, 0, len(name))
	depth := 0
	for i := range len(name) {
		switch c := name[i]; {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth == 0:
			kept = append(kept, c)
		}
	}
	return string(kept)
}
