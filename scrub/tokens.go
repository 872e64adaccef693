package scrub

import (
	"encoding/base64"
	"strings"
)

// tryDash handles - : private keys, options of a command line, and tokens such as xoxb- and <hex>-us1.
func (m *masker) tryDash(i int) int {
	if next := i + 1; next < len(m.text) && m.text[next] == '-' {
		if hasPrefixAt(m.text, i, "-----") {
			return m.tryPrivateKey(i)
		}
		if next+1 < len(m.text) && letters[m.text[next+1]] != 0 {
			return m.tryOption(i)
		}
		return i + 1
	}
	if next := m.tryShortOption(i); next > i+1 {
		return next
	}
	if next := m.tryLongOption(i); next > i+1 {
		return next
	}
	if hasPrefixAt(m.text, i, "-us") && i >= 32 && i+3 < len(m.text) && isDigit(m.text[i+3]) { // Mailchimp
		if from := i - 32; from >= m.copied && skipRun(m.text[:i], from, hexSet) == i && m.startsWord(from) {
			return m.hide(from, skipRun(m.text, i+1, alnumSet))
		}
	}
	return m.tryProvider(i)
}

const (
	beginKey = "-----BEGIN "
	endKey   = "-----END "
	dashes   = "-----"
	maxLabel = 60 // of "RSA PRIVATE KEY" and similar
)

// tryPrivateKey hides a PEM block with a private key. A block without an end reaches to the end of the text; one without a
// beginning reaches back to the start.
func (m *masker) tryPrivateKey(i int) int {
	if label, body, ok := m.readLabel(i, beginKey); ok && strings.Contains(label, "PRIVATE KEY") {
		end := strings.Index(m.text[body:], endKey)
		if end < 0 {
			m.keyIsTorn = true
			return m.hide(i, len(m.text))
		}
		_, after, ok := m.readLabel(body+end, endKey)
		if !ok {
			after = body + end + len(endKey)
		}
		return m.hide(i, after)
	}
	if label, after, ok := m.readLabel(i, endKey); ok && strings.Contains(label, "PRIVATE KEY") {
		m.keyIsTorn = true
		m.output, m.copied = m.output[:0], 0
		return m.hide(0, after)
	}
	return i + len(dashes)
}

// readLabel reads -----BEGIN label----- at i and returns where it ends.
func (m *masker) readLabel(i int, marker string) (label string, after int, ok bool) {
	if !hasPrefixAt(m.text, i, marker) {
		return "", 0, false
	}
	from := i + len(marker)
	n := strings.Index(m.text[from:min(from+maxLabel, len(m.text))], dashes)
	if n < 0 {
		return "", 0, false
	}
	return m.text[from : from+n], from + n + len(dashes), true
}

// tryScheme hides the token after Bearer and Basic, in any case.
func (m *masker) tryScheme(i int) int {
	if !m.startsWord(i) {
		if m.text[i] == 'B' {
			return m.tryProvider(i)
		}
		return i + 1
	}
	basic := hasFoldedAt(m.text, i, "basic")
	if !basic && !hasFoldedAt(m.text, i, "bearer") {
		return i + 1
	}
	from := i + len("bearer")
	if basic {
		from = i + len("basic")
	}
	body := skipBlanks(m.text, from)
	if hasPrefixAt(m.text, from, "%20") {
		body = from + len("%20")
	}
	end := trimFullStops(m.text, body, skipRun(m.text, body, bearerSet))
	if end < len(m.text) && isQuote(m.text[end]) && m.text[end-1] == '=' { // a challenge: Bearer realm="x"
		return from
	}
	if token := m.text[body:end]; body > from && (basic && isBasic(token) || !basic && isBearer(token)) {
		return m.hide(body, end)
	}
	return from
}

// hasFoldedAt reports whether the word, in lower case, is at i in any case.
func hasFoldedAt(s string, i int, word string) bool {
	return i >= 0 && len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word)
}

// trimFullStops cuts the full stop of a sentence off the end of a token.
func trimFullStops(s string, from, end int) int {
	for end > from && s[end-1] == '.' {
		end--
	}
	return end
}

// isBearer reports whether a text is a token, and not the next word of a sentence ("bearer token missing").
func isBearer(token string) bool {
	switch {
	case len(token) < 6:
		return false
	case len(token) >= 20 || hasDigit(token):
		return true
	}
	return hasUpper(token[1:]) || strings.ContainsAny(token, "-._~+/=")
}

// isBasic reports whether a token is the base64 of user:password, also when it was cut.
func isBasic(token string) bool {
	token = strings.TrimRight(token, "=")
	if len(token) < 4 {
		return false
	}
	token = token[:min(len(token)&^3, 256)]
	var plain [192]byte
	n, err := base64.StdEncoding.Decode(plain[:], []byte(token))
	if err != nil {
		n, err = base64.URLEncoding.Decode(plain[:], []byte(token))
	}
	return err == nil && strings.IndexByte(string(plain[:n]), ':') >= 0 || len(token) >= 40
}

// tryJWT hides a JSON web token: base64 of {" and more, in parts with dots between them. i is at its J.
func (m *masker) tryJWT(i int) int {
	start := i - 2
	if start < m.copied || !hasPrefixAt(m.text, start, "eyJ") || !m.startsWord(start) {
		return i + 1
	}
	end := trimFullStops(m.text, start, skipRun(m.text, start, jwtSet))
	if token := m.text[start:end]; len(token) >= 40 || len(token) >= 15 && strings.IndexByte(token, '.') > 0 {
		return m.hide(start, end)
	}
	return i + 1
}

// tryDiscord hides a bot's token: an encoded id, a time and a signature, with dots between them.
func (m *masker) tryDiscord(i int) int {
	if !m.startsWord(i) {
		return m.tryProvider(i)
	}
	one := skipRunWithin(m.text, i, 30, base64URLSet)
	if one-i < 23 || one-i > 28 || one >= len(m.text) || m.text[one] != '.' {
		return m.tryProvider(i)
	}
	two := skipRunWithin(m.text, one+1, 8, base64URLSet)
	if two-one != 7 || two >= len(m.text) || m.text[two] != '.' {
		return m.tryProvider(i)
	}
	if end := skipRun(m.text, two+1, base64URLSet); end-two > 20 {
		return m.hide(i, end)
	}
	return m.tryProvider(i)
}

// hideTelegram hides a bot's token: digits, the colon at i, and 35 characters.
func (m *masker) hideTelegram(i int) (end int, ok bool) {
	start := i
	for start > m.copied && i-start < 11 && isDigit(m.text[start-1]) {
		start--
	}
	end = skipRunWithin(m.text, i+1, 42, base64URLSet)
	if n := i - start; n < 8 || n > 10 || end-i < 33 || end-i > 40 || !hasUpper(m.text[i+1:end]) {
		return 0, false
	}
	return m.hide(start, end), true
}
