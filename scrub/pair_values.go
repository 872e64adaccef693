package scrub

import "strings"

// hideValue hides the value that begins at v and returns where it ends.
func (m *masker) hideValue(p pair, v int) int {
	if v >= len(m.text) {
		return v
	}
	if hasPrefixAt(m.text, v, Mask) {
		return m.hideBareValue(p, v)
	}
	if p.hasColon && !p.isQuoted && !isHeader(p.name) {
		if to := skipRunWithin(m.text, v, maxType, typeSet); to > v && to < len(m.text) && m.text[to] == '=' { // password: str = "x"
			if to = skipBlanks(m.text, to+1); to < len(m.text) && isQuote(m.text[to]) {
				v = to
			}
		}
	}
	if p.hasColon && (p.verdict == secret || p.isQuoted) {
		if rejected := m.skipRejected(v); rejected > v && !isHeader(p.name) {
			if v = rejected; m.text[v] == '[' {
				return m.hideRejected(v)
			}
		}
	}
	if body, mark := m.openQuote(v); mark != "" {
		return m.hideQuotedValue(&p, body, mark)
	}
	switch m.text[v] {
	case '{', '[', '(':
		return m.hideBracketed(v)
	}
	return m.hideBareValue(p, v)
}

const maxType = 32 // bytes of a type and the blanks around it

var typeSet = newByteSet(alnumBytes + "_ .,<>[]|?&*")

// hideQuotedValue hides the text in quotes unless it is clearly harmless.
func (m *masker) hideQuotedValue(p *pair, body int, mark string) int {
	end := m.closeQuote(body, mark)
	text := m.text[body:end]
	isPublic := isVoid(text) || isTokenCount(p.name, text) || isIdentity(p.verdict, p.name, text)
	if isPublic || p.verdict == described && !p.isQuoted && !looksSecret(text) {
		return end
	}
	return m.hide(body, end)
}

// isFileOrPort reports whether a pair is really a line of a file or a port: session.go:12, auth-service:8080.
func (m *masker) isFileOrPort(p *pair, end int) bool {
	extension := p.name[strings.LastIndexByte(p.name, '.')+1:]
	if len(extension) < len(p.name) && !p.isQuoted && end < len(m.text) && isBlank(m.text[end]) &&
		len(extension) <= maxExtension && fileExtensions[extension] {
		return true // "credentials.json: no such file"
	}
	number := skipRunWithin(m.text, end, maxPort+1, digitSet)
	if number == end || number-end > maxPort || hasLetterAt(m.text, number) {
		return false
	}
	isFile := len(extension) < len(p.name) && len(extension) <= maxExtension && m.rules.judgeName(extension) == public
	return isFile || p.verdict == weakly && !p.isQuoted
}

const (
	maxPort      = 5 // digits
	maxExtension = 5 // letters
)

// fileExtensions are extensions of files that hold secrets or code about them.
var fileExtensions = newWordSet("json yaml yml toml ini conf cfg env xml txt csv db lock log pem crt " +
	"go py js ts tsx jsx mjs cjs rb php java kt cs rs c cc cpp h hpp swift scala ex exs sh sql html vue")
