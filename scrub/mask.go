package scrub

// Mask is what a secret becomes.
const Mask = "[Filtered]"

// trigger says which rule to try at a byte.
type trigger uint8

const (
	noTrigger  trigger = iota
	separator          // = or : after a name, or in ://
	percent            // %3D or %3A, an encoded separator
	closeTag           // > after <name
	at                 // @ after user:password in a connection string
	dash               // - as in -----BEGIN, --password, xoxb-
	digit              // of a card, a social security number
	scheme             // B of Bearer and Basic
	jwtLetter          // J of eyJ
	prefixByte         // a byte that ends, or stands in, the prefix of a provider's token
	discord            // the first letter of a bot's token
	quoteMark          // a quote that may open the value of a name before it
	dollar             // $ of a password's hash
)

// triggers gives, for each set of suspicions, the bytes at which the scan stops.
var triggers = func() (tables [suspicions][256]trigger) {
	for what := range suspicions {
		t := &tables[what]
		if what&ofPairs != 0 {
			t['='], t[':'], t['%'], t['>'], t['@'] = separator, separator, percent, closeTag, at
		}
		if what&ofQuotes != 0 {
			t['"'], t['\''], t['`'] = quoteMark, quoteMark, quoteMark
		}
		if what&ofTokens != 0 {
			for _, p := range providers {
				t[p.mark[p.triggerAt()]] = prefixByte
			}
			t['J'], t['M'], t['N'], t['O'], t['$'] = jwtLetter, discord, discord, discord, dollar
		}
		if what&ofNumbers != 0 {
			for c := '0'; c <= '9'; c++ {
				t[c] = digit
			}
		}
		if what&(ofWords|ofTokens) != 0 {
			t['-'], t['b'], t['B'] = dash, scheme, scheme
		}
		if what&ofOptions != 0 {
			t['-'] = dash
		}
	}
	return tables
}()

// masker scans one text and copies it, with masks for secrets, once it finds one.
type masker struct {
	rules *Rules
	s     string
	code  bool // s is a line of source code, where a name's value is mostly an expression
	out   []byte
	done  int  // s[:done] is in out
	masks int  // in out
	torn  bool // a private key begins or ends in other lines

	word   lastWord // what dsn saw
	tagEnd int      // behind the last > that tag looked at
	// exprEnd is where the last expression ended, noAt up to where lateAt found no @.
	exprEnd, noAt int
	refused       *provider // whose token does not begin before refusedTo
	refusedTo     int
	judged        string // the last name of a pair, and what was found of it
	found         verdict
	soughtKind    bool   // hasSecretKind looked
	secretKind    bool   // and what it found
	valuesWord    string // the spelling of VALUES; empty until insert looked for it
	valuesAt      int    // the next of it
	commands      []bool // which commands with a password the text names; nil when nobody asked
}

// maxPasses bounds how often a text is scanned; one that still changes is filtered whole.
const maxPasses = 4

// mask filters the secrets of a clean text. torn tells that the text has only one end of a private key.
func (r *Rules) mask(s string, what suspicion, code bool) (masked string, torn bool) {
	defer func() {
		if recover() != nil { // a bug in a rule must not let a secret pass
			masked, torn = Mask, true
		}
	}()
	return r.passes(s, what, code)
}

// A text with more secrets than these is filtered whole: it is made of them, or made to cost time.
const (
	maxMasks = 16
	masksPer = 64 // bytes of a text for one more
)

// passes scans until nothing changes, for what was filtered may have hidden the start of another secret.
func (r *Rules) passes(s string, what suspicion, code bool) (masked string, torn bool) {
	for range maxPasses {
		if what&ofLogins != 0 {
			s = hideLogins(s)
		}
		m := masker{rules: r, s: s, code: code}
		m.scan(&triggers[what])
		if m.masks > maxMasks+len(s)/masksPer {
			return Mask, true
		}
		torn = torn || m.torn
		if m.done == 0 {
			return s, torn
		}
		t := string(append(m.out, s[m.done:]...))
		if t == s {
			return s, torn
		}
		s, what = t, suspicions-1
	}
	return Mask, torn
}

func (m *masker) scan(on *[256]trigger) {
	most := maxMasks + len(m.s)/masksPer
	for i := nextTrigger(m.s, 0, on); i < len(m.s) && m.masks <= most; i = nextTrigger(m.s, i, on) {
		i = max(m.try(on[m.s[i]], i), i+1)
	}
}

// nextTrigger returns the place of the first trigger at or after i, or the end of the text. It passes over four bytes at
// a time.
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

// try applies the rule of a trigger at i and gives where to go on.
func (m *masker) try(t trigger, i int) int {
	switch t {
	case separator:
		return m.separator(i)
	case percent:
		return m.percent(i)
	case closeTag:
		return m.tag(i)
	case at:
		return m.dsn(i)
	case dash:
		return m.dash(i)
	case digit:
		return m.digits(i)
	case scheme:
		return m.scheme(i)
	case jwtLetter:
		return m.jwt(i)
	case discord:
		return m.discord(i)
	case quoteMark:
		return m.quote(i)
	case dollar:
		return m.crypt(i)
	}
	return m.provider(i)
}

// hide masks s[from:to] and gives to. What lies before from stays.
func (m *masker) hide(from, to int) int {
	if from < m.done { // part of it is masked already
		from = m.done
	}
	if from >= to {
		return to
	}
	if m.s[from:to] != Mask {
		m.out = append(append(m.out, m.s[m.done:from]...), Mask...)
		m.done = to
		m.masks++
	}
	return to
}

// boundary is true when no letter or digit stands right before i.
func (m *masker) boundary(i int) bool { return i == 0 || !isAlnum(m.s[i-1]) }

// run gives the end of the bytes of the set that begin at i.
func run(s string, i int, set *[256]bool) int {
	for i < len(s) && set[s[i]] {
		i++
	}
	return i
}

// runBack returns the start of the bytes of the set that end at i; limit at the least.
func runBack(s string, i, limit int, set *[256]bool) int {
	for i > limit && set[s[i-1]] {
		i--
	}
	return i
}

// maxProbe bounds how far a rule looks ahead before it decides, so that a text of prefixes costs linear time.
const maxProbe = 256

// runWithin is run, at most n bytes far.
func runWithin(s string, i, n int, set *[256]bool) int {
	return run(s[:min(i+n, len(s))], i, set)
}

// bytesOf makes a set of bytes.
func bytesOf(list string) *[256]bool {
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
	digitSet     = bytesOf(digitBytes)
	hexSet       = bytesOf(digitBytes + "abcdefABCDEF")
	alnumSet     = bytesOf(alnumBytes)
	base64URLSet = bytesOf(alnumBytes + "-_")
	base64Set    = bytesOf(alnumBytes + "+/=")
	bearerSet    = bytesOf(alnumBytes + "-._~+/=")
	escapedSet   = bytesOf(alnumBytes + "-._~+/=%")
	jwtSet       = bytesOf(alnumBytes + "-_.=")
)

// hasDigit is true when one of the bytes is a digit.
func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}

// hasUpper is true when one of the bytes is an upper-case letter.
func hasUpper(s string) bool {
	for i := range len(s) {
		if isUpper(s[i]) {
			return true
		}
	}
	return false
}
