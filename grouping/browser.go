package grouping

import "strings"

// endlessRecursion is the single wording for a stack overflow.
const endlessRecursion = "endless recursion"

// wholeWordings maps the texts of different browsers for the same error to one wording.
var wholeWordings = map[string]string{
	"Failed to fetch": "fetch failed", // Chromium
	"NetworkError when attempting to fetch resource.": "fetch failed", // Firefox
	"Load failed":                                    "fetch failed", // Safari
	"The network connection was lost.":               "fetch failed",
	"The Internet connection appears to be offline.": "fetch failed",

	"Maximum call stack size exceeded":  endlessRecursion, // Chromium, node
	"Maximum call stack size exceeded.": endlessRecursion, // Safari
	"too much recursion":                endlessRecursion, // Firefox
	"Out of stack space":                endlessRecursion, // Internet Explorer

	"ResizeObserver loop limit exceeded":                            "resize loop",
	"ResizeObserver loop completed with undelivered notifications.": "resize loop",

	"Unexpected end of JSON input":     "JSON ends early", // Chromium
	"JSON Parse error: Unexpected EOF": "JSON ends early", // Safari

	"Importing a module script failed.": "import failed", // Safari
}

// wordingPrefixes are the beginnings of texts that end with details.
var wordingPrefixes = [...]struct {
	prefix string
	read   func(rest string) string
}{
	{"Cannot read propert", wordQuotedRead}, // Cannot read properties of undefined (reading 'id'), Cannot read property 'id' of null
	{"Cannot set propert", wordQuotedRead},
	{"can't access property ", wordQuotedRead},       // can't access property "id", user is undefined
	{"Unable to get property ", wordQuotedRead},      // Unable to get property 'id' of undefined or null reference
	{"Unable to set property ", wordQuotedRead},      //
	{"undefined is not an object (", wordTargetRead}, // undefined is not an object (evaluating 'user.id')
	{"null is not an object (", wordTargetRead},
	{"Object doesn't support property or method ", wordQuotedCall}, // Internet Explorer
	{"undefined is not a function (", wordTargetCall},              // old Safari
	{"Can't find variable: ", wordMissing},                         // Safari
	{"JSON.parse: unexpected end of data", func(string) string { return "JSON ends early" }},
	{"JSON.parse: unexpected character", wordNotJSON},        // Firefox
	{"JSON Parse error: Unrecognized token ", wordNotJSON},   // Safari
	{"JSON Parse error: Unexpected identifier", wordNotJSON}, //
	{"Failed to fetch dynamically imported module", wordFailedImport},
	{"error loading dynamically imported module", wordFailedImport},
}

// unifyBrowserWording returns one wording for an error that JavaScript engines describe in different words, and whether it knows
// the error. The name of the property, function or variable stays, as written in the code. The result is only for the group;
// titles keep the original.
func unifyBrowserWording(value string) (string, bool) {
	if wording, found := wholeWordings[value]; found {
		return wording, true
	}
	for _, w := range wordingPrefixes {
		if rest, found := strings.CutPrefix(value, w.prefix); found {
			return w.read(rest), true
		}
	}
	if name, rest, found := strings.Cut(value, " is not a function"); found && isExpression(name) &&
		(rest == "" || strings.HasPrefix(rest, ". (In ")) { // Safari adds: (In 'a.b()', 'a.b' is undefined)
		return "call " + findMember(name), true
	}
	if name, found := strings.CutSuffix(value, " is not defined"); found && isExpression(name) {
		return wordMissing(strings.Trim(name, `'"`)), true
	}
	if strings.HasPrefix(value, "Unexpected token ") && strings.Contains(value, "JSON") {
		return wordNotJSON(value), true
	}
	return "", false
}

func wordQuotedRead(rest string) string { return "read " + findQuoted(rest) }
func wordTargetRead(rest string) string { return "read " + findMember(findTarget(rest)) }
func wordQuotedCall(rest string) string { return "call " + findQuoted(rest) }
func wordTargetCall(rest string) string { return "call " + findMember(findTarget(rest)) }
func wordMissing(name string) string    { return "missing " + name }
func wordNotJSON(string) string         { return "not JSON" }
func wordFailedImport(string) string    { return "import failed" }

// findQuoted returns the first text in quotes.
func findQuoted(text string) string {
	i := strings.IndexAny(text, `'"`)
	if i < 0 {
		return ""
	}
	name, _, _ := strings.Cut(text[i+1:], text[i:i+1])
	return name
}

// findTarget returns the expression in "evaluating 'a.b.c()'", without the assigned value.
func findTarget(text string) string {
	_, text, _ = strings.Cut(text, "'")
	if i := strings.LastIndexByte(text, '\''); i >= 0 {
		text = text[:i]
	}
	text, _, _ = strings.Cut(text, " = ")
	return text
}

// findMember returns the last name of an expression like "a.b.c(d)" or "(intermediate value).c".
func findMember(expression string) string {
	if i := strings.LastIndexByte(expression, '('); i > 0 && strings.HasSuffix(expression, ")") {
		expression = expression[:i]
	}
	return expression[strings.LastIndexByte(expression, '.')+1:]
}

// isExpression reports whether a text is code rather than a sentence.
func isExpression(s string) bool {
	return s != "" && !strings.Contains(strings.ReplaceAll(s, "(intermediate value)", ""), " ")
}
