package scrub

// tryDigits hides a payment card or a social security number that begins at i, and tries the tokens whose trigger is a digit
// (ya29.).
func (m *masker) tryDigits(i int) int {
	end := i + 1
	for end < len(m.text) && isDigit(m.text[end]) {
		end++
	}
	if next := m.tryProvider(i); next > i+1 {
		return next
	}
	start := i
	if i > 0 && m.text[i-1] == '%' { // digits of an escape do not belong to a card
		start = i + 2
	}
	if start >= end || !m.standsApart(start) {
		return end
	}
	if to := m.findCard(start, end); to > 0 {
		return m.hide(start, to)
	}
	if to := m.findSSN(start, end); to > 0 {
		return m.hide(start, to)
	}
	return end
}

// standsApart reports whether nothing joins the digits at i on their left: they are not in a word, and not after a decimal point.
func (m *masker) standsApart(i int) bool {
	if i == 0 || i >= 3 && m.text[i-3] == '%' { // an escape, such as %2F
		return true
	}
	c := m.text[i-1]
	if c == '.' && i > 1 {
		return !isDigit(m.text[i-2])
	}
	return letters[c] == 0
}

// A card has from minCard to maxCard digits.
const (
	minCard = 13
	maxCard = 19
)

// findCard returns the end of a payment card's number whose first group of digits is text[i:end], or 0. A card has 13 to 19
// digits in one group, or in the groups that are printed on cards, with an issuer's prefix and length and the Luhn check digit.
func (m *masker) findCard(i, end int) int {
	var number [maxCard]byte
	var groups [6]int
	n := 0
	for g := 0; g < len(groups); g++ {
		if groups[g] = end - i; n+groups[g] > maxCard {
			return 0
		}
		n += copy(number[n:], m.text[i:end])
		if g == 0 && n != 4 && n < minCard {
			return 0
		}
		if isCard(number[:n]) && isPrintedGrouping(groups[:g+1]) && !hasLetterAt(m.text, end) {
			return end
		}
		gap := m.measureGap(end)
		if gap == 0 || end+gap >= len(m.text) || !isDigit(m.text[end+gap]) {
			return 0
		}
		i = end + gap
		for end = i; end < len(m.text) && isDigit(m.text[end]); {
			end++
		}
	}
	return 0
}

// measureGap returns the length of the separator between two groups: a space, a dash, or a space encoded for a URL.
func (m *masker) measureGap(i int) int {
	switch {
	case i >= len(m.text):
		return 0
	case m.text[i] == ' ', m.text[i] == '-', m.text[i] == '+':
		return 1
	case hasPrefixAt(m.text, i, "%20"), hasPrefixAt(m.text, i, "\u202f"), hasPrefixAt(m.text, i, "\u2009"):
		return 3
	case hasPrefixAt(m.text, i, "\u00a0"):
		return 2
	}
	return 0
}

func hasLetterAt(s string, i int) bool { return i < len(s) && (letters[s[i]] != 0 || s[i] == '_') }

// isPrintedGrouping reports whether cards are printed in these groups of digits: one group, groups of four with a shorter last
// one, 4-6-4 and 4-6-5.
func isPrintedGrouping(groups []int) bool {
	if len(groups) == 1 {
		return true
	}
	if len(groups) == 3 && groups[0] == 4 && groups[1] == 6 {
		return groups[2] == 4 || groups[2] == 5
	}
	for i, size := range groups {
		if size != 4 && (i < len(groups)-1 || size > 4) {
			return false
		}
	}
	return true
}

// isCard checks the issuer's prefix, its lengths and the check digit.
func isCard(number []byte) bool {
	n := len(number)
	if n < minCard || n > maxCard {
		return false
	}
	six := 0
	for _, d := range number[:6] {
		six = six*10 + int(d-'0')
	}
	return isIssued(six, n) && passesLuhn(number)
}

// issuer is a range of six-digit prefixes and the lengths of cards with them.
type issuer struct{ from, to, shortest, longest int }

var issuers = []issuer{
	{220000, 220499, 16, 19}, // Mir
	{222100, 272099, 16, 16}, // Mastercard
	{300000, 305999, 14, 19}, // Diners
	{309500, 309599, 14, 19},
	{340000, 349999, 15, 15}, // American Express
	{352800, 358999, 16, 19}, // JCB
	{360000, 369999, 14, 19}, // Diners
	{370000, 379999, 15, 15}, // American Express
	{380000, 399999, 16, 19}, // Diners
	{501800, 501899, 13, 19}, // Maestro
	{502000, 502099, 13, 19},
	{503800, 503899, 13, 19},
	{508500, 508999, 16, 16}, // RuPay
	{510000, 559999, 16, 16}, // Mastercard
	{589300, 589399, 13, 19}, // Maestro
	{601100, 601199, 16, 19}, // Discover
	{620000, 629999, 16, 19}, // UnionPay
	{630400, 630499, 13, 19}, // Maestro
	{644000, 659999, 16, 19}, // Discover
	{675900, 675999, 13, 19}, // Maestro
	{676100, 676399, 13, 19},
	{810000, 819999, 16, 19}, // UnionPay, RuPay
}

func isIssued(six, n int) bool {
	if six >= 400000 && six <= 499999 { // Visa
		return n == 13 || n == 16 || n == 19
	}
	for _, x := range issuers {
		if six >= x.from && six <= x.to {
			return n >= x.shortest && n <= x.longest
		}
	}
	return false
}

func passesLuhn(number []byte) bool {
	sum := 0
	for i, d := range number {
		v := int(d - '0')
		if (len(number)-i)%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// findSSN returns the end of a US social security number (ddd-dd-dddd) whose first digits are text[i:end], or 0.
func (m *masker) findSSN(i, end int) int {
	const form = "ddd-dd-dddd"
	to := i + len(form)
	if end-i != 3 || to > len(m.text) || i > 0 && m.text[i-1] == '-' {
		return 0
	}
	for k := range form {
		if c := m.text[i+k]; form[k] == 'd' && !isDigit(c) || form[k] == '-' && c != '-' {
			return 0
		}
	}
	if to < len(m.text) && (isAlnum(m.text[to]) || m.text[to] == '-') {
		return 0
	}
	area, group, serial := m.text[i:i+3], m.text[i+4:i+6], m.text[i+7:to]
	if area == "000" || area == "666" || area[0] == '9' || group == "00" || serial == "0000" {
		return 0
	}
	return to
}
