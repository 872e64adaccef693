package scrub

// telling has the first letters of the public names that isHint, namesName and holdsData know.
var telling = bytesOf("kcsSnNfhKd")

// isHint reports whether a name that is often no secret's stands before a value that is one: key=<random text>,
// ?code=<random text>.
func (m *masker) isHint(p *pair, value int) bool {
	switch p.name {
	case "key", "code", "signature", "Signature", "nonce":
	default:
		return false
	}
	if value < len(m.s) && isQuote(m.s[value]) {
		value++
	}
	end := runWithin(m.s, value, maxName, base64Set)
	return end-value >= minHint && isMixed(m.s[value:end])
}

const minHint = 16 // bytes of a value

// isMixed is true for a text with digits and letters of both cases, as random texts have.
func isMixed(s string) bool {
	lower, upper, digit := false, false, false
	for i := range len(s) {
		lower, upper, digit = lower || isLower(s[i]), upper || isUpper(s[i]), digit || isDigit(s[i])
	}
	return lower && upper && digit
}

// nextLine hides the value that stands alone, indented, in the line after its name.
func (m *masker) nextLine(p *pair, i int) int {
	from := skipBlanks(m.s, i+1)
	end := runWithin(m.s, from, maxProbe, lineSet)
	if from == i+1 || p.verdict == described || end-from < minLiteral || end < len(m.s) && m.s[end] != '\n' || !looksSecret(m.s[from:end]) {
		return i
	}
	return m.hide(from, end)
}

var lineSet = bytesOf(alnumBytes + "!#$%&*+,-./;=?@^_~")
