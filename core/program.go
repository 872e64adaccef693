package core

import (
	"strings"
	"unicode"
)

// Program is the name of the calling program, from its MCP client or its User-Agent: a stranger's text, one line.
type Program string

// maxProgram is the longest name of a program, in characters.
const maxProgram = 64

// NameProgram returns the name of a program from what it says about itself: the visible characters among the first 64.
func NameProgram(text string) Program {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(visible); len(runes) > maxProgram {
		visible = string(runes[:maxProgram])
	}
	return Program(strings.TrimSpace(visible))
}

// ReadUserAgent returns the name of the program in a User-Agent: its first product, without the version.
func ReadUserAgent(header string) Program {
	product, _, _ := strings.Cut(strings.TrimSpace(header), " ")
	name, _, _ := strings.Cut(product, "/")
	return NameProgram(name)
}
