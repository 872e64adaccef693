package scrub

// Mask replaces a secret.
const Mask = "[Filtered]"

// trigger is the rule to try at a byte.
type trigger uint8

const (
	noTrigger        trigger = iota
	triggerSeparator         // = or : after a name, or in ://
	triggerPercent           // %3D or %3A, an encoded separator
	triggerAngle             // > after <name, or in ->
	triggerAmpersand         // & of an escaped >
	triggerAt                // @ after user:password in a connection string
	triggerDash              // - as in -----BEGIN, --password, xoxb-
	triggerDigit             // of a card, a social security number
	triggerScheme            // B of Bearer and Basic
	triggerJWT               // J of eyJ
	triggerProvider          // a byte at the end of, or within, the prefix of a provider's token
	triggerDiscord           // the first letter of a bot's token
	triggerQuote             // a quote that may open the value of a name before it
	triggerCrypt             // $ of a password's hash
)

// triggers holds the bytes that stop the scan, for each set of suspicions.
var triggers = func() (tables [suspicionSets][256]trigger) {
	for suspected := range suspicionSets {
		t := &tables[suspected]
		if suspected&ofPairs != 0 {
			t['='], t[':'], t['%'], t['>'], t['@'] = triggerSeparator, triggerSeparator, triggerPercent, triggerAngle, triggerAt
			t['&'] = triggerAmpersand
		}
		if suspected&ofQuotes != 0 {
			t['"'], t['\''], t['`'] = triggerQuote, triggerQuote, triggerQuote
		}
		if suspected&ofTokens != 0 {
			for _, p := range providers {
				t[p.mark[p.findTrigger()]] = triggerProvider
			}
			t['J'], t['M'], t['N'], t['O'], t['$'] = triggerJWT, triggerDiscord, triggerDiscord, triggerDiscord, triggerCrypt
		}
		if suspected&ofNumbers != 0 {
			for c := '0'; c <= '9'; c++ {
				t[c] = triggerDigit
			}
		}
		if suspected&(ofWords|ofTokens) != 0 {
			t['-'], t['b'], t['B'] = triggerDash, triggerScheme, triggerScheme
		}
		if suspected&ofOptions != 0 {
			t['-'] = triggerDash
		}
	}
	return tables
}()

// masker scans one text. When it finds a secret it copies the text with masks.
type masker struct {
	rules     *Rules
	text      string
	isCode    bool // the text is a line of source code, where a name's value is usually an expression
	output    []byte
	copied    int  // text[:copied] is in output
	maskCount int  // in output
	keyIsTorn bool // a private key begins or ends in other lines

	lastAt wordBeforeAt // the last word that tryDSN saw
	tagEnd int          // after the last > that tryTag looked at
	// inputAt is the last value that hideInputValue looked before; rowsAt the last VALUES whose rows hideBoundRows read.
	inputAt, rowsAt int
	besideAt        int // where hideValueBefore looked last
	statementAt     int // where the last statement behind "SQL:" begins
	// expressionEnd is where the last expression ended; findLateAt found no @ before noAtBefore.
	expressionEnd, noAtBefore int
	refused                   *provider // whose token does not begin before refusedTo
	refusedTo                 int
	judgedName                string // the last name of a pair, and its verdict
	judgedVerdict             verdict
	soughtSecretKind          bool   // hasSecretKind has searched
	foundSecretKind           bool   // and its result
	soughtMap, foundMap       bool   // the same for hasMap
	valuesWord                string // the spelling of VALUES; empty until hideInsertValues searches for it
	valuesAt                  int    // its next position
	namedCommands             []bool // which commands with a password the text names; nil until it is needed
}

// maxPasses bounds how often a text is scanned; a text that still changes is filtered whole.
const maxPasses = 4

// maskSecrets filters the secrets of a clean text. It reports as torn whether the text has only one end of a private key.
func (r *Rules) maskSecrets(s string, suspected suspicion, code bool) (masked string, torn bool) {
	defer func() {
		if recover() != nil { // a bug in a rule must not let a secret pass
			masked, torn = Mask, true
		}
	}()
	return r.maskRepeatedly(s, suspected, code)
}

// A text with more secrets than this is filtered whole: it consists of them, or was made to cost time.
const (
	maxMasks = 16
	masksPer = 64 // bytes of a text that allow one more
)

// maskRepeatedly scans until nothing changes, because a mask may have hidden the start of another secret.
func (r *Rules) maskRepeatedly(s string, suspected suspicion, code bool) (masked string, torn bool) {
	for range maxPasses {
		if suspected&ofLogins != 0 {
			s = hideLogins(s)
		}
		m := masker{rules: r, text: s, isCode: code}
		m.scan(&triggers[suspected])
		if m.maskCount > maxMasks+len(s)/masksPer {
			return Mask, true
		}
		torn = torn || m.keyIsTorn
		if m.copied == 0 {
			return s, torn
		}
		t := string(append(m.output, s[m.copied:]...))
		if t == s {
			return s, torn
		}
		s, suspected = t, suspicionSets-1
	}
	return Mask, torn
}

func (m *masker) scan(on *[256]trigger) {
	most := maxMasks + len(m.text)/masksPer
	for i := nextTrigger(m.text, 0, on); i < len(m.text) && m.maskCount <= most; i = nextTrigger(m.text, i, on) {
		i = max(m.tryTrigger(on[m.text[i]], i), i+1)
	}
}

// nextTrigger returns the position of the first trigger at or after i, or the end of the text. It skips four bytes at a time.
func nextTrigger(s string, i int, on *[256]trigger) int {
	for ; i+4 <= len(s); i += 4 {
		if four := s[i : i+4]; on[four[0]]|on[four[1]]|on[four[2]]|on[four[3]] != noTrigger {
			break
		}
	}
	for i < len(s) && on[s[i]] == noTrigger {
		i++
	}
	return i
}

// tryTrigger applies the rule of a trigger at i and returns where to continue.
func (m *masker) tryTrigger(t trigger, i int) int {
	switch t {
	case triggerSeparator:
		return m.trySeparator(i)
	case triggerPercent:
		return m.tryPercent(i)
	case triggerAngle:
		return m.tryAngle(i)
	case triggerAmpersand:
		return m.tryAmpersand(i)
	case triggerAt:
		return m.tryDSN(i)
	case triggerDash:
		return m.tryDash(i)
	case triggerDigit:
		return m.tryDigits(i)
	case triggerScheme:
		return m.tryScheme(i)
	case triggerJWT:
		return m.tryJWT(i)
	case triggerDiscord:
		return m.tryDiscord(i)
	case triggerQuote:
		return m.tryQuote(i)
	case triggerCrypt:
		return m.tryCrypt(i)
	}
	return m.tryProvider(i)
}

// hide masks text[from:to] and returns to. The text before from stays.
func (m *masker) hide(from, to int) int {
	if from < m.copied { // part of it is masked already
		from = m.copied
	}
	if from >= to {
		return to
	}
	if m.text[from:to] != Mask {
		m.output = append(append(m.output, m.text[m.copied:from]...), Mask...)
		m.copied = to
		m.maskCount++
	}
	return to
}

// startsWord reports whether a word may start at i: no letter or digit stands right before.
func (m *masker) startsWord(i int) bool { return i == 0 || !isAlnum(m.text[i-1]) }

// skipRun returns the end of the run of the set's bytes that begins at i.
func skipRun(s string, i int, set *[256]bool) int {
	for i < len(s) && set[s[i]] {
		i++
	}
	return i
}

// skipRunBack returns the start of the run of the set's bytes that ends at i, but not less than limit.
func skipRunBack(s string, i, limit int, set *[256]bool) int {
	for i > limit && set[s[i-1]] {
		i--
	}
	return i
}

// maxProbe bounds how far a rule looks ahead before it decides, so that a text of prefixes costs linear time.
const maxProbe = 256

// skipRunWithin is skipRun, for at most n bytes.
func skipRunWithin(s string, i, n int, set *[256]bool) int {
	return skipRun(s[:min(i+n, len(s))], i, set)
}

// newByteSet makes a set of bytes.
func newByteSet(list string) *[256]bool {
	set := &[256]bool{}
	for _, b := range []byte(list) {
		set[b] = true
	}
	return set
}

const (
	lowerBytes = "abcdefghijklmnopqrstuvwxyz"
	upperBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digitBytes = "0123456789"
	alnumBytes = lowerBytes + upperBytes + digitBytes
)

var (
	digitSet     = newByteSet(digitBytes)
	hexSet       = newByteSet(digitBytes + "abcdefABCDEF")
	alnumSet     = newByteSet(alnumBytes)
	base64URLSet = newByteSet(alnumBytes + "-_")
	base64Set    = newByteSet(alnumBytes + "+/=")
	bearerSet    = newByteSet(alnumBytes + "-._~+/=")
	escapedSet   = newByteSet(alnumBytes + "-._~+/=%")
	jwtSet       = newByteSet(alnumBytes + "-_.=")
)

// hasDigit reports whether one of the bytes is a digit.
func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}

// hasUpper reports whether one of the bytes is an upper-case letter.
func hasUpper(s string) bool {
	for i := range len(s) {
		if isUpper(s[i]) {
			return true
		}
	}
	return false
}
