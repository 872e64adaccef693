package grouping

import (
	"net/netip"
	"strings"
)

// The placeholders for values in a text. All numbers and generated names share one placeholder: whether a short random name
// contains letters is chance.
const (
	numberPlaceholder = "<num>"
	timePlaceholder   = "<time>"
	uuidPlaceholder   = "<uuid>"
	ipPlaceholder     = "<ip>"
	emailPlaceholder  = "<email>"
	textPlaceholder   = "<str>"
	pathPlaceholder   = "<path>"
)

// ParameterizeText replaces the parts of a message that differ between occurrences: numbers, hexadecimal and generated names,
// UUIDs, times, IP addresses, emails, ids in a URL, quoted texts and paths of files (decisions 4). White space becomes one space,
// and a list of values one value. It reads the first 8 KB.
func ParameterizeText(s string) string {
	s = clipText(s)
	p := parameterizer{in: s, out: make([]byte, 0, len(s))}
	if inner, found := unquoteWhole(strings.TrimSpace(s)); found {
		p.in = inner // only a quoted text: its content is the message
	}
	p.replaceValues(0, len(p.in), true)
	return strings.TrimRight(string(p.out), " ")
}

// unquoteWhole returns the content of a text that is a single quoted text, such as the value of Python's KeyError, and whether it
// is one.
func unquoteWhole(text string) (string, bool) {
	if len(text) < 3 || text[0] != '\'' && text[0] != '"' || text[len(text)-1] != text[0] {
		return text, false
	}
	inner := text[1 : len(text)-1]
	return inner, strings.IndexByte(inner, text[0]) < 0
}

// parameterizer reads one text once, from left to right.
type parameterizer struct {
	in  string
	out []byte

	tokenEnd int       // of the last token that was checked as a whole
	unclosed [256]bool // quotes without a closing one in the rest
}

// replaceValues reads in[i:end]. It searches for whole tokens (URLs, emails, paths, quoted texts) only in prose.
func (p *parameterizer) replaceValues(i, end int, prose bool) {
	for i < end {
		char := p.in[i]
		if prose {
			if next := p.replaceToken(i, char); next > i {
				i = next
				continue
			}
		}
		switch {
		case char == ' ' || '\t' <= char && char <= '\r':
			if len(p.out) > 0 && p.out[len(p.out)-1] != ' ' {
				p.out = append(p.out, ' ')
			}
			i++
		case isLetter(char) || isDigit(rune(char)):
			i = p.replaceWord(i)
		case (char == '-' || char == '+') && p.isSign(i):
			i++
		case char == ':' && strings.HasPrefix(p.in[i:], "::") && p.addressEnd(i) > i:
			i = p.addressEnd(i)
			p.writePlaceholder(ipPlaceholder)
		default:
			p.out = append(p.out, char)
			i++
		}
	}
}

// replaceToken handles a token that is a value as a whole, and returns the index after it; i without such a token.
func (p *parameterizer) replaceToken(i int, c byte) int {
	if c == '"' || c == '\'' || c == '`' {
		return p.replaceQuote(i)
	}
	if i < p.tokenEnd || !isTokenStart(c) || i > 0 && isWord(p.in[i-1]) {
		return i
	}
	p.tokenEnd = i + tokenLength(p.in[i:])
	token := strings.TrimRight(p.in[i:p.tokenEnd], ".:!?*")
	from, isURL := schemeStart(token)
	switch {
	case isURL && from > 0: // cause:https://..
		p.tokenEnd = i + from
		return i
	case isURL:
		return p.replaceURL(i)
	case isPath(token) && !p.followsMethod():
		p.writePlaceholder(pathPlaceholder)
		return p.pathEnd(i, i+len(token))
	}
	if at := strings.IndexByte(token, '@'); at > 0 && isEmail(token, at) {
		from := strings.LastIndexByte(token[:at], ':') + 1 // mailto:
		p.replaceValues(i, i+from, false)
		p.writePlaceholder(emailPlaceholder)
		return i + len(token)
	}
	return i
}

// writePlaceholder writes a placeholder. The same placeholder after a comma is another element of a list, and is left out.
func (p *parameterizer) writePlaceholder(placeholder string) {
	for _, separator := range [...]string{", ", ","} {
		if n := len(p.out) - len(placeholder) - len(separator); n >= 0 &&
			string(p.out[n:n+len(placeholder)]) == placeholder && string(p.out[n+len(placeholder):]) == separator {
			p.out = p.out[:n]
			break
		}
	}
	p.out = append(p.out, placeholder...)
}

// replaceWord handles a run of letters and digits, and the number that it may begin.
func (p *parameterizer) replaceWord(i int) int {
	rest := p.in[i:]
	inside := i > 0 && (isWord(p.in[i-1]) && p.in[i-1] != '_')
	if n := uuidLength(rest); n > 0 {
		p.writePlaceholder(uuidPlaceholder)
		return i + n
	}
	if n := timeLength(rest, i > 0 && p.in[i-1] == ':'); n > 0 {
		p.writePlaceholder(timePlaceholder)
		return i + n
	}
	if next := p.addressEnd(i); next > i {
		p.writePlaceholder(ipPlaceholder)
		return next
	}
	if n := octetsLength(rest); n > 0 {
		p.writePlaceholder(numberPlaceholder)
		return i + n
	}
	end := i
	for end < len(p.in) && (isLetter(p.in[end]) || isDigit(rune(p.in[end]))) {
		end++
	}
	word := p.in[i:end]
	if len(word) > 2 && (word[:2] == "0x" || word[:2] == "0X") && isHex(word[2:]) {
		p.writePlaceholder(numberPlaceholder)
		return end
	}
	if isDigit(rune(word[0])) && !inside {
		if n := numberLength(rest); n > 0 {
			p.writePlaceholder(numberPlaceholder)
			return i + n
		}
	}
	p.writeWord(word, i > 1 && p.in[i-1] == '@' && isWord(p.in[i-2]))
	return end
}

// writeWord writes a word: a generated word becomes a number, in other words each run of digits does.
func (p *parameterizer) writeWord(word string, isIdentity bool) {
	shape := shapeOf(word)
	switch {
	case isIdentity && shape.isHex && len(word) >= 4: // Java: com.example.Cart@1b6d3586
		p.writePlaceholder(numberPlaceholder)
		return
	case shape.digits == 0:
		p.out = append(p.out, word...)
		return
	case shape.isHex && len(word) >= 6, shape.changes >= 3, len(word) >= 16 && shape.digits >= 3:
		p.writePlaceholder(numberPlaceholder)
		return
	}
	for i := 0; i < len(word); i++ {
		switch {
		case !isDigit(rune(word[i])):
			p.out = append(p.out, word[i])
		case i == 0 || !isDigit(rune(word[i-1])):
			p.out = append(p.out, numberPlaceholder...)
		}
	}
}

// isSign reports whether the minus or plus at i belongs to the number after it.
func (p *parameterizer) isSign(i int) bool {
	if i+1 >= len(p.in) || !isDigit(rune(p.in[i+1])) {
		return false
	}
	return i == 0 || strings.IndexByte(" \t([{=:,<>", p.in[i-1]) >= 0
}

// addressEnd returns the index after the IP address at i, including its port or prefix length; i without an address.
func (p *parameterizer) addressEnd(i int) int {
	const longest = 64
	end, dots, colons, digits := i, 0, 0, 0
	for end < len(p.in) && end < i+longest && (isHexDigit(p.in[end]) || p.in[end] == '.' || p.in[end] == ':') {
		switch char := p.in[end]; {
		case char == '.':
			dots++
		case char == ':':
			colons++
		case isDigit(rune(char)):
			digits++
		}
		end++
	}
	if digits == 0 || dots < 3 && colons < 2 || end < len(p.in) && isWord(p.in[end]) {
		return i
	}
	text := strings.TrimRight(p.in[i:end], ".")
	if !strings.HasSuffix(text, "::") {
		text = strings.TrimRight(text, ":")
	}
	host, port, hasPort := strings.Cut(text, ":")
	if colons == 1 && hasPort && strings.TrimFunc(port, isDigit) == "" {
		text = host
	}
	if _, err := netip.ParseAddr(text); err != nil {
		return i
	}
	end = i + len(text)
	if end+1 < len(p.in) && (p.in[end] == ':' || p.in[end] == '/') && isDigit(rune(p.in[end+1])) {
		for end++; end < len(p.in) && isDigit(rune(p.in[end])); {
			end++
		}
	}
	return end
}

// octetsLength returns the length of a MAC address or key fingerprint at the start of s (0a:1b:..), or 0.
func octetsLength(text string) int {
	const fewest, most = 6, 64
	length := 0
	for length+2 <= len(text) && length < most*3 && isHexDigit(text[length]) && isHexDigit(text[length+1]) {
		length += 2
		if length == len(text) || text[length] != ':' && text[length] != '-' {
			break
		}
		length++
	}
	if length < fewest*3-1 || length < len(text) && isWord(text[length]) {
		return 0
	}
	return length
}
