package scrub

import (
	"encoding/base64"
	"strings"
)

// dash handles - : private keys, options of a command line, and tokens such as xoxb- and <hex>-us1.
func (m *masker) dash(i int) int {
	if next := i + 1; next < len(m.s) && m.s[next] == '-' {
		if hasPrefixAt(m.s, i, "-----") {
			return m.privateKey(i)
		}
		if next+1 < len(m.s) && letters[m.s[next+1]] != 0 {
			return m.option(i)
		}
		return i + 1
	}
	if next := m.shortOption(i); next > i+1 {
		return next
	}
	if hasPrefixAt(m.s, i, "-us") && i >= 32 && i+3 < len(m.s) && isDigit(m.s[i+3]) { // Mailchimp
		if from := i - 32; from >= m.done && run(m.s[:i], from, hexSet) == i && m.boundary(from) {
			return m.hide(from, run(m.s, i+1, alnumSet))
		}
	}
	return m.provider(i)
}

const (
	beginKey = "-----BEGIN "
	endKey   = "-----END "
	dashes   = "-----"
	maxLabel = 60 // of "RSA PRIVATE KEY" and the like
)

// privateKey hides a PEM block with a private key. One without an end reaches to the end of the text; one without a
// beginning reaches back to the start.
func (m *masker) privateKey(i int) int {
	if label, body, ok := m.label(i, beginKey); ok && strings.Contains(label, "PRIVATE KEY") {
		end := strings.Index(m.s[body:], endKey)
		if end < 0 {
			m.torn = true
			return m.hide(i, len(m.s))
		}
		_, after, ok := m.label(body+end, endKey)
		if !ok {
			after = body + end + len(endKey)
		}
		return m.hide(i, after)
	}
	if label, after, ok := m.label(i, endKey); ok && strings.Contains(label, "PRIVATE KEY") {
		m.torn = true
		m.out, m.done = m.out[:0], 0
		return m.hide(0, after)
	}
	return i + len(dashes)
}

// label reads -----BEGIN label----- at i and gives where it ends.
func (m *masker) label(i int, marker string) (label string, after int, ok bool) {
	if !hasPrefixAt(m.s, i, marker) {
		return "", 0, false
	}
	from := i + len(marker)
	n := strings.Index(m.s[from:min(from+maxLabel, len(m.s))], dashes)
	if n < 0 {
		return "", 0, false
	}
	return m.s[from : from+n], from + n + len(dashes), true
}

// scheme hides what follows Bearer and Basic, in any case.
func (m *masker) scheme(i int) int {
	if !m.boundary(i) {
		if m.s[i] == 'B' {
			return m.provider(i)
		}
		return i + 1
	}
	basic := foldedAt(m.s, i, "basic")
	if !basic && !foldedAt(m.s, i, "bearer") {
		return i + 1
	}
	from := i + len("bearer")
	if basic {
		from = i + len("basic")
	}
	body := skipBlanks(m.s, from)
	if hasPrefixAt(m.s, from, "%20") {
		body = from + len("%20")
	}
	end := trimmed(m.s, body, run(m.s, body, bearerSet))
	if end < len(m.s) && isQuote(m.s[end]) && m.s[end-1] == '=' { // a challenge: Bearer realm="x"
		return from
	}
	if token := m.s[body:end]; body > from && (basic && isBasic(token) || !basic && isBearer(token)) {
		return m.hide(body, end)
	}
	return from
}

// foldedAt is true when the word, in lower case, stands at i in any case.
func foldedAt(s string, i int, word string) bool {
	return i >= 0 && len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word)
}

// trimmed takes the full stop of a sentence off the end of a token.
func trimmed(s string, from, end int) int {
	for end > from && s[end-1] == '.' {
		end--
	}
	return end
}

// isBearer tells a token from the next word of a sentence ("bearer token missing").
func isBearer(token string) bool {
	switch {
	case len(token) < 6:
		return false
	case len(token) >= 20 || hasDigit(token):
		return true
	}
	return hasUpper(token[1:]) || strings.ContainsAny(token, "-._~+/=")
}

// isBasic is true for the base64 of user:password, also when it was cut.
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

// jwt hides a JSON web token: base64 of {" and more, in parts with dots between them. i is at its J.
func (m *masker) jwt(i int) int {
	start := i - 2
	if start < m.done || !hasPrefixAt(m.s, start, "eyJ") || !m.boundary(start) {
		return i + 1
	}
	end := trimmed(m.s, start, run(m.s, start, jwtSet))
	if token := m.s[start:end]; len(token) >= 40 || len(token) >= 15 && strings.IndexByte(token, '.') > 0 {
		return m.hide(start, end)
	}
	return i + 1
}

// discord hides a bot's token: an encoded id, a time and a signature, with dots between them.
func (m *masker) discord(i int) int {
	if !m.boundary(i) {
		return m.provider(i)
	}
	one := runWithin(m.s, i, 30, base64URLSet)
	if one-i < 23 || one-i > 28 || one >= len(m.s) || m.s[one] != '.' {
		return m.provider(i)
	}
	two := runWithin(m.s, one+1, 8, base64URLSet)
	if two-one != 7 || two >= len(m.s) || m.s[two] != '.' {
		return m.provider(i)
	}
	if end := run(m.s, two+1, base64URLSet); end-two > 20 {
		return m.hide(i, end)
	}
	return m.provider(i)
}

// telegram hides a bot's token: digits, the colon at i, and 35 characters.
func (m *masker) telegram(i int) (end int, ok bool) {
	start := i
	for start > m.done && i-start < 11 && isDigit(m.s[start-1]) {
		start--
	}
	end = runWithin(m.s, i+1, 42, base64URLSet)
	if n := i - start; n < 8 || n > 10 || end-i < 33 || end-i > 40 || !hasUpper(m.s[i+1:end]) {
		return 0, false
	}
	return m.hide(start, end), true
}
