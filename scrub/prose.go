package scrub

import "strings"

// This file recognises harmless values after a secret's name: words, numbers and code, as in "cannot fetch token: 401
// Unauthorized", "password: must not be empty", "pass=3".

// isOrdinary reports whether the value text[v:end] of a name is ordinary text and not a secret.
func (m *masker) isOrdinary(p *pair, v, end int) bool {
	text := m.text[v:end]
	switch {
	case isVoid(text), isCount(p.name, text), isTokenCount(p.name, text), isReference(p, text), isIdentity(p.verdict, p.name, text):
		return true
	case p.verdict == described:
		return !looksSecret(text)
	case p.compares && skipRun(text, 0, identifierSet) == len(text) && !hasDigit(text), v > 0 && m.text[v-1] == ' ' && isExpression(text):
		return true
	case p.hasColon && !p.isQuoted:
		return m.isSentence(p, text, end)
	}
	return false
}

var (
	identifierSet = newByteSet(alnumBytes + "_.")
	expressionSet = newByteSet(lowerBytes + upperBytes + "_.*&:()[]{}")
	numericSet    = newByteSet(digitBytes + "-:TZ.+")
)

// isVoid reports whether a text can hold no secret: nothing, a null, a yes or no, the parameter of a query, the name of a
// variable, signs.
func isVoid(text string) bool {
	if len(text) == 0 || skipRun(text, 0, nameSet) == 0 && strings.IndexFunc(text, isWordRune) < 0 {
		return true
	}
	if len(text) <= maxVoid {
		var space [maxVoid]byte
		if voidWords.hasWord(appendLower(space[:0], text)) {
			return true
		}
	}
	switch text[0] {
	case '$':
		name := strings.Trim(text[1:], "{}()")
		return len(text) > 1 && (skipRun(name, 0, digitSet) == len(name) || skipRun(name, 0, variableSet) == len(name))
	case '{', '#', '<':
		return strings.HasPrefix(text, "{{") || strings.HasPrefix(text, "#{") || strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">")
	case '%':
		return strings.HasPrefix(text, "%(") || text == "%s" || text == "%v" || text == "%q"
	}
	return false
}

const maxVoid = 9

var (
	voidWords   = newQuickSet("null none nil undefined true false yes no on off n/a")
	variableSet = newByteSet(upperBytes + digitBytes + "_:-.")
)

func isWordRune(r rune) bool { return r >= 0x80 || isAlnum(byte(r)) }

// appendLower appends the text in lower case.
func appendLower(to []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		if isUpper(c) {
			c |= 0x20
		}
		to = append(to, c)
	}
	return to
}

// isCount reports whether a value is a number that is too short for a secret with this name: "pass=3", "token: 401", "tokens:
// 4096".
func isCount(name, text string) bool {
	const most = 7
	if len(text) > most || skipRun(text, 0, digitSet) < len(text) {
		return false
	}
	var space [16]byte
	if len(name) > len(space) {
		name = name[len(name)-len(space):]
	}
	lower := string(appendLower(space[:0], name))
	switch {
	case len(text) <= 2:
		return true
	case lower == "pass" || lower == "cookies" || lower == "sessions":
		return len(text) < most
	}
	return len(text) == 3 && judgeDefaultName(name) != public && !isShortCode(lower)
}

// isTokenCount reports whether a value is the number of tokens that a language model took, by its name and its form: max_tokens:
// 4096, gen_ai.usage.input_tokens.cached: 12.
func isTokenCount(name, text string) bool {
	const most = 11 // bytes
	return len(text) > 0 && len(text) <= most && skipRun(text, 0, countSet) == len(text) && findFolded(name, "tokens") >= 0
}

var countSet = newByteSet(digitBytes + ",.")

// isShortCode reports whether the values of a name have three digits.
func isShortCode(lower string) bool {
	for _, end := range [...]string{"pin", "cvv", "cvc", "cvv2", "cvc2", "code", "otp", "totp", "mfa"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return false
}

// looksSecret judges the value of a name that describes a secret: a secret has letters and digits, and is not an address.
func looksSecret(text string) bool {
	const least = 7
	if len(text) < least || text[0] == '/' || text[0] == '.' || strings.Contains(text, "://") {
		return false
	}
	return hasDigit(text) && skipRun(text, 0, numericSet) < len(text)
}

// isExpression reports whether a text is code, as in "session = Session(engine)".
func isExpression(text string) bool {
	return strings.IndexAny(text, "([") > 0 && letters[text[0]] != 0 && skipRun(text, 0, expressionSet) == len(text)
}

// isSentence reports whether a sentence continues after "name:", as in "auth: failed to connect". A secret has digits or mixed
// case; a password may also be a word, so the text after its name must be a word of error messages.
func (m *masker) isSentence(p *pair, text string, end int) bool {
	word := text[:skipRunBack(text, len(text), 0, stopSet)]
	if word == "" || len(word) > maxWord || skipRun(word, 0, proseSet) < len(word) {
		return false
	}
	var space [maxWord]byte
	lower := appendLower(space[:0], word)
	switch {
	case authSchemes.hasWord(lower):
		return false
	case messageWords.hasWord(lower), stateWords.hasWord(lower), p.verdict == weakly && !isHeader(p.name) && isWord(word):
		return true
	}
	if skipRun(word, 0, upperSnakeSet) == len(word) && strings.Contains(word, "_") { // the name of a variable
		return true
	}
	next := skipBlanks(m.text, end)
	after := skipRunWithin(m.text, next, maxWord, proseSet)
	return next > end && messageWords.hasWord(appendLower(space[:0], m.text[next:after]))
}

const maxWord = 24

var (
	proseSet      = newByteSet(lowerBytes + upperBytes + "-_'.,;:!")
	stopSet       = newByteSet(".,;:!")
	upperSnakeSet = newByteSet(upperBytes + "_")
)

// isWord reports whether a text is a word in lower case, in upper case or with humps, such as InProgress.
func isWord(word string) bool {
	const most = 15
	if len(word) > most {
		return false
	}
	uppers, hump := 0, len(word)
	for i := range len(word) {
		if isUpper(word[i]) {
			if uppers++; hump < 2 {
				hump = -len(word) // a hump of one letter
			} else {
				hump = 0
			}
		}
		hump++
	}
	return uppers == 0 || uppers == len(strings.Trim(word, "-_'.")) || hump > 1
}

// isMessage reports whether a word in lower case is one of messages about secrets.
func isMessage(lower string) bool { return messageWords.words[lower] || stateWords.words[lower] }

// messageWords are the words of error messages that follow a name: "password: must be at least 8 characters".
var messageWords = newQuickSet(`
	required missing invalid empty blank expired revoked rejected denied forbidden unauthorized unauthenticated
	failed failure fails fail error errors wrong incorrect mismatch mismatched not no none cannot can't couldn't
	could can must should shall may might was were is isn't are aren't has have had does doesn't did didn't do don't
	be been being too unable unknown unexpected unsupported undefined malformed corrupt corrupted bad ok valid
	verified unset present absent disabled enabled locked needed expected got received found permission connection
	timeout timed context deadline eof file open the a an this that your it for from to of in on at with without by
	and or only minimum maximum length string number boolean object array updated created deleted removed refreshed
	renewed rotated generated issued skipped using loading loaded pending optional mandatory authentication
	authorization handshake http https tls ssl dial tcp parse parsing decode decoding unmarshal already please see
	use used nothing failed-precondition invalid_grant invalid_token invalid_client invalid_request
	unauthorized_client access_denied required_field`)
