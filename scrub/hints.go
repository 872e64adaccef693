package scrub

// hintFirstBytes are the first letters of the public names that isHint, namesField and holdsData look for.
var hintFirstBytes = newByteSet("kcsSnNfhKdP")

// isHint reports whether a name that is often harmless is followed by a secret: key=<random text>, ?code=<random text>.
func (m *masker) isHint(p *pair, value int) bool {
	switch p.name {
	case "key", "code", "signature", "Signature", "nonce":
	default:
		return false
	}
	if value < len(m.text) && isQuote(m.text[value]) {
		value++
	}
	end := skipRunWithin(m.text, value, maxName, base64Set)
	return end-value >= minHint && isMixed(m.text[value:end])
}

const minHint = 16 // bytes of a value

// isMixed reports whether a text has digits and letters of both cases, as random texts have.
func isMixed(s string) bool {
	lower, upper, digit := false, false, false
	for i := range len(s) {
		lower, upper, digit = lower || isLower(s[i]), upper || isUpper(s[i]), digit || isDigit(s[i])
	}
	return lower && upper && digit
}

// hideNextLine hides the value that is alone, indented, in the line after its name.
func (m *masker) hideNextLine(p *pair, i int) int {
	from := skipBlanks(m.text, i+1)
	end := skipRunWithin(m.text, from, maxProbe, lineSet)
	isAlone := end == len(m.text) || m.text[end] == '\n'
	if from == i+1 || !isAlone || p.verdict == described || end-from < minLiteral || !looksSecret(m.text[from:end]) {
		return i
	}
	return m.hide(from, end)
}

var lineSet = newByteSet(alnumBytes + "!#$%&*+,-./;=?@^_~")
