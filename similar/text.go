package similar

import (
	"strings"
	"unicode"

	"errand/core"
)

// longest bounds what is read of a text, in bytes.
const longest = 4096

// longestWord is the longest run of letters that is a word; longer ones are encoded data.
const longestWord = 40

// appendWords appends the words of a text, those of names such as ConnectTimeout and cart_total one by one.
func appendWords(list []int32, text string) []int32 {
	seen := map[string]bool{}
	for token := range strings.FieldsFuncSeq(clip(text), isBetweenWords) {
		for _, w := range parts(token) {
			if w = strings.ToLower(w); !seen[w] && isWorthy(w) {
				seen[w] = true
				list = append(list, feature(word, w))
			}
			if len(seen) == maxWords {
				return list
			}
		}
	}
	return list
}

func isBetweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// parts splits a name where its letters change: ConnectTimeout, HTTPServer.
func parts(token string) []string {
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

// common are words that say nothing about an error.
var common = map[string]bool{
	"the": true, "an": true, "of": true, "to": true, "in": true, "is": true, "it": true, "at": true, "on": true, "and": true, "or": true,
	"for": true, "by": true, "with": true, "from": true, "be": true, "was": true, "are": true, "this": true, "that": true, "as": true,
}

// isWorthy leaves out what is no word of a language or program: single letters, numbers and ids.
func isWorthy(w string) bool {
	if len(w) < 2 || len(w) > longestWord || common[w] {
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

// identifiers gives the words of a text that look like types of exceptions, at most a few.
func identifiers(text string) []string {
	var list []string
	for token := range strings.FieldsFuncSeq(clip(text), func(r rune) bool {
		return isBetweenWords(r) && !strings.ContainsRune(`_.:\`, r)
	}) {
		token = strings.Trim(token, `.:\`)
		if name := token[strings.LastIndexAny(token, `.:\`)+1:]; len(parts(name)) > 1 {
			if list = append(list, name); len(list) == maxExceptions {
				break
			}
		}
	}
	return list
}

// plainType is the name of a type without package, pointer and type arguments.
func plainType(name string) string {
	name = clip(name)
	if end := strings.IndexAny(name, "`[<({ @"); end > 0 {
		name = name[:end]
	}
	return plain(name[strings.LastIndexAny(name, `.:\/*`)+1:])
}

// frameName names a frame by its module or file and its function, without what changes from build to build. It is empty
// for one that says nothing.
func frameName(f *core.Frame) string {
	function, file := string(f.Function), string(f.Module)
	if f.Source != nil {
		file = base(string(f.Source.Path))
		if f.Source.Name != "" {
			function = string(f.Source.Name)
		}
	} else if file == "" {
		if file = base(string(f.Filename)); file == "" {
			file = base(string(f.AbsPath))
		}
	}
	if len(function) <= 2 && f.Source == nil && strings.Contains(string(f.AbsPath)+string(f.Filename), "://") {
		return "" // of a minifier
	}
	if function = plain(function); function == "" || function == "?" || function == "<anonymous>" {
		return ""
	}
	return plain(file) + " " + function
}

// base is the last part of a path, without the query of a URL.
func base(path string) string {
	path, _, _ = strings.Cut(clip(path), "?")
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// plain is a name in small letters without digits, which differ between builds and occurrences.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return unicode.ToLower(r)
	}, strings.TrimSpace(clip(name)))
}

func clip(s string) string { return s[:min(len(s), longest)] }
