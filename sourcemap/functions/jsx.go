package functions

import (
	"bytes"
	"path"
	"strings"
)

// scanTag reads a JSX tag up to its end, or to the next expression or element in it.
func (s *scanner) scanTag() {
	f := s.top()
	isValue := false
	var attribute name // before the =
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch c {
		case '"', '\'':
			if end := bytes.IndexByte(s.text[s.at:], c); end >= 0 {
				s.at += end + 1
			} else {
				s.at = len(s.text)
			}
		case '{':
			opened := frame{kind: expression, function: -1}
			if isValue {
				opened.hint = attribute
			}
			s.pushFrame(opened)
			return
		case '<':
			if isValue {
				s.pushFrame(frame{kind: tag, function: -1})
				return
			}
			f.angles++
		case '/':
			switch s.peek(0) {
			case '>':
				s.at++
				s.endElement()
				return
			case '/', '*':
				s.at--
				s.skipSpace()
			}
		case '>':
			if f.angles == 0 {
				f.kind = children
				return
			}
			f.angles--
		}
		if isNamePart(c) {
			if attribute.to != s.at-1 {
				attribute.from = s.at - 1
			}
			attribute.to = s.at
		}
		isValue = c == '=' || isValue && c <= ' '
	}
}

// scanChildren reads the text between two JSX tags.
func (s *scanner) scanChildren() {
	next := bytes.IndexAny(s.text[s.at:], "<{")
	if next < 0 {
		s.at = len(s.text)
		return
	}
	s.at += next + 1
	switch {
	case s.text[s.at-1] == '{':
		s.pushFrame(frame{kind: expression, function: -1})
	case s.peek(0) != '/':
		s.pushFrame(frame{kind: tag, function: -1})
	default:
		if end := bytes.IndexByte(s.text[s.at:], '>'); end >= 0 {
			s.at += end + 1
		} else {
			s.at = len(s.text)
		}
		s.endElement()
	}
}

// endElement ends a JSX element.
func (s *scanner) endElement() {
	s.frames = s.frames[:len(s.frames)-1]
	s.operand, s.atStatement, s.isControl = true, false, false
	s.last = token{kind: isLiteral, start: s.at, end: s.at}
}

// part is a part of the text that is code.
type part struct{ from, to int }

func newScanner(text []byte, file string) *scanner {
	s := &scanner{lexer: lexer{text: text}, closed: -1, hasJSX: true}
	switch extensionOf(file) {
	case ".ts", ".mts", ".cts":
		s.hasJSX = false
	case ".vue", ".svelte":
		s.hasJSX, s.inScripts = false, bytes.Contains(text, []byte("<script")) // bundlers may keep only the code
	}
	return s
}

// IsCode reports whether a file is in a language that Scan knows, by its name. Files without an extension are parts of bundlers.
func IsCode(file string) bool {
	switch extensionOf(file) {
	case "", ".js", ".mjs", ".cjs", ".jsx", ".es6", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte":
		return true
	}
	return false
}

// extensionOf returns the extension of the file in a path or a URL.
func extensionOf(file string) string {
	file, _, _ = strings.Cut(file, "?")
	return strings.ToLower(path.Ext(file))
}

// findParts returns the parts that are code: in a component with markup, the contents of its script tags.
func (s *scanner) findParts() (parts []part) {
	if !s.inScripts {
		return []part{{0, len(s.text)}}
	}
	for at := 0; ; {
		open := bytes.Index(s.text[at:], []byte("<script"))
		if open < 0 {
			return parts
		}
		at += open
		begin := bytes.IndexByte(s.text[at:], '>')
		if begin < 0 {
			return parts
		}
		at += begin + 1
		end := bytes.Index(s.text[at:], []byte("</script"))
		if end < 0 {
			end = len(s.text) - at
		}
		parts = append(parts, part{at, at + end})
		at += end
	}
}
