package store

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// likeEscaper makes % and _ plain characters of a LIKE pattern.
var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// searchPattern gives the operator and the pattern that find the text anywhere, in any case. ILIKE is the faster one, but
// in a database of locale C, such as the private one, it knows the cases of ASCII letters only; for other letters the
// cases are written out in a regular expression, which needs no locale.
func searchPattern(text string) (operator, pattern string) {
	if isASCII(text) {
		return "ILIKE", "%" + likeEscaper.Replace(text) + "%"
	}
	var b strings.Builder
	for _, r := range text {
		switch folds := caseFolds(r); {
		case len(folds) > 1:
			b.WriteString("[" + string(folds) + "]") // letters only: nothing in it is special
		case r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return "~", b.String()
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// caseFolds gives the letters that differ from r in case only, and r itself.
func caseFolds(r rune) []rune {
	folds := []rune{r}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		folds = append(folds, next)
	}
	return folds
}
