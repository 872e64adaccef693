package similar

import (
	"strings"
	"unicode"

	"errand/core"
)

// maxText bounds how much of a text is read, in bytes.
const maxText = 4096

// maxWordLength is the longest run of letters that is a word; longer ones are encoded data.
const maxWordLength = 40

// appendWords appends the words of a text; names such as ConnectTimeout and cart_total are split.
func appendWords(list []int32, text string) []int32 {
	seen := map[string]bool{}
	for token := range strings.FieldsFuncSeq(cutText(text), isBetweenWords) {
		for _, w := range splitName(token) {
			if w = strings.ToLower(w); !seen[w] && isWorthy(w) {
				seen[w] = true
				list = append(list, hashFeature(kindWord, w))
			}
			if len(seen) == maxWords {
				return list
			}
		}
	}
	return list
}

func isBetweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// splitName splits a name at changes of its letters: ConnectTimeout, HTTPServer.
func splitName(token string) []string {
	var list []string
	runes := []rune(token)
	start := 0
	for i := 1; i < len(runes); i++ {
		starts := unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if starts && i > start {
			list = append(list, string(runes[start:i]))
			start = i
		}
	}
	return append(list, string(runes[start:]))
}

// commonWords are words that say nothing about an error.
var commonWords = map[string]bool{
	"the": true, "an": true, "of": true, "to": true, "in": true, "is": true, "it": true, "at": true, "on": true, "and": true, "or": true,
	"for": true, "by": true, "with": true, "from": true, "be": true, "was": true, "are": true, "this": true, "that": true, "as": true,
}

// isWorthy reports whether a word belongs to a language or a program, and is not a single letter, a number or an id.
func isWorthy(w string) bool {
	if len(w) < 2 || len(w) > maxWordLength || commonWords[w] {
		return false
	}
	digits := 0
	for i := range len(w) {
		if '0' <= w[i] && w[i] <= '9' {
			digits++
		}
	}
	return digits <= 2 && digits < len(w) && (w[0] < '0' || w[0] > '9')
}

// findTypeNames returns the words of a text that look like types of exceptions, at most a few.
func findTypeNames(text string) []string {
	var list []string
	for token := range strings.FieldsFuncSeq(cutText(text), func(r rune) bool {
		return isBetweenWords(r) && !strings.ContainsRune(`_.:\`, r)
	}) {
		token = strings.Trim(token, `.:\`)
		if name := token[strings.LastIndexAny(token, `.:\`)+1:]; len(splitName(name)) > 1 {
			if list = append(list, name); len(list) == maxExceptions {
				break
			}
		}
	}
	return list
}

// plainType returns the name of a type without package, pointer and type arguments.
func plainType(name string) string {
	name = cutText(name)
	if end := strings.IndexAny(name, "`[<({ @"); end > 0 {
		name = name[:end]
	}
	return plainName(name[strings.LastIndexAny(name, `.:\/*`)+1:])
}

// frameName names frame i of a stack by its module or file and its function, without the parts that differ between builds. It is
// empty for a frame that says nothing.
func frameName(stack []core.Frame, i int) string {
	f := &stack[i]
	name, file := core.ViewFrame(stack, i).Function, string(f.Module)
	if f.Source != nil {
		file = baseName(string(f.Source.Path))
	} else if file == "" {
		if file = baseName(string(f.Filename)); file == "" {
			file = baseName(string(f.AbsPath))
		}
	}
	if core.IsMinifiedName(name) && strings.Contains(string(f.AbsPath)+string(f.Filename), "://") {
		return ""
	}
	function := plainName(string(name))
	if function == "" || function == "?" || function == "<anonymous>" {
		return ""
	}
	return plainName(file) + " " + function
}

// baseName returns the last part of a path, without the query of a URL.
func baseName(path string) string {
	path, _, _ = strings.Cut(cutText(path), "?")
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// plainName returns a name in lower case without digits, which differ between builds and occurrences.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return unicode.ToLower(r)
	}, strings.TrimSpace(cutText(name)))
}

func cutText(s string) string { return s[:min(len(s), maxText)] }
