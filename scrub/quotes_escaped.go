package scrub

import "strings"

// escapedQuotes are the quotes of HTML, and those that .NET writes in JSON.
var escapedQuotes = [...]string{
	"&quot;", "&#34;", "&#x22;", "&apos;", "&#39;", "&#039;", "&#x27;", unicodeQuote, unicodeApostrophe,
}

const (
	unicodeQuote      = `\u0022`
	unicodeApostrophe = `\u0027`
)

// endsEscapedQuote are the last bytes of those.
var endsEscapedQuote = newByteSet(";27")

// matchEscapedQuote returns the length of the escaped quote at i, with any backslashes more before it; 0 when there is none.
func matchEscapedQuote(s string, i int) int {
	if i >= len(s) || s[i] != '&' && s[i] != '\\' {
		return 0
	}
	from := i
	for hasPrefixAt(s, i, `\\`) {
		i++
	}
	for _, quote := range escapedQuotes {
		if hasPrefixAt(s, i, quote) {
			return i - from + len(quote)
		}
	}
	return 0
}

// skipEscapedQuoteBack returns the start of the escaped quote that ends at i, with its backslashes; 0 when there is none.
func skipEscapedQuoteBack(s string, i int) int {
	for _, quote := range escapedQuotes {
		if strings.HasSuffix(s[:i], quote) {
			i -= len(quote)
			for range maxClosers {
				if i == 0 || s[i-1] != '\\' {
					break
				}
				i--
			}
			return i
		}
	}
	return 0
}

// skipUnicodeQuote returns the end of an opening quote, written as .NET does, whose u is at i; otherwise i. Its bytes could be in a
// name.
func skipUnicodeQuote(s string, i int) int {
	if i > 0 && (hasPrefixAt(s, i-1, unicodeQuote) || hasPrefixAt(s, i-1, unicodeApostrophe)) {
		return i + len(unicodeQuote) - 1
	}
	return i
}
