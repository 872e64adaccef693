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
)

// separators are the triggers that a text without long enough secrets still has.
var separators = [256]trigger{'=': separator, ':': separator, '%': percent, '>': closeTag, '@': at, '-': dash, 'b': scheme, 'B': scheme}

var triggers = func() [256]trigger {
	t := separators
	for _, p := range providers {
		t[p.prefix[p.triggerAt()]] = prefixByte
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['-'] = dash
	t['J'] = jwtLetter
	t['M'], t['N'], t['O'] = discord, discord, discord
	return t
}()

// The shortest texts with a secret that no = or : tells: a social security number, and one after Basic or --password.
const (
	minSecret = 11
	minScheme = 8
)

// suspects picks the triggers that the text can have by its survey; nil when it has no secret.
func (v *survey) suspects(length int) *[256]trigger {
	switch {
	case length >= minSecret && v.digits+v.uppers >= 4: // as a token of 16 characters or more has
		return &triggers
	case v.seps > 0, length >= minScheme && v.spaces > 0 && (v.bs > 0 || v.dashes >= 2):
		return &separators
	}
	return nil
}

// masker scans one text and copies it, with masks for secrets, once it finds one.
type masker struct {
	rules *Rules
	s     string
	code  bool // s is a line of source code, where a name's value is mostly an expression
	out   []byte
	done  int  // s[:done] is in out
	torn  bool // a private key begins or ends in other lines
}

// maxPasses bounds how often a text is scanned again because a mask uncovered another secret.
const maxPasses = 4

// mask filters the secrets of a clean text. torn tells that the text has only one end of a private key.
func (r *Rules) mask(s string, on *[256]trigger, code bool) (masked string, torn bool) {
	defer func() {
		if recover() != nil { // a bug in a rule must not let a secret pass
			masked, torn = Mask, true
		}
	}()
	for range maxPasses {
		m := masker{rules: r, s: s, code: code}
		m.scan(on)
		torn = torn || m.torn
		if m.done == 0 && len(m.out) == 0 {
			return s, torn
		}
		t := string(append(m.out, s[m.done:]...))
		if t == s {
			return s, torn
		}
		s, on = t, &triggers
	}
	return Mask, true
}

func (m *masker) scan(on *[256]trigger) {
	for i := 0; i < len(m.s); {
		t := on[m.s[i]]
		if t == noTrigger {
			i++
			continue
		}
		i = max(m.try(t, i), i+1)
	}
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
	if m.s[from:to] != Mask || len(m.out) > 0 {
		m.out = append(append(m.out, m.s[m.done:from]...), Mask...)
		m.done = to
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
	hexSet       = bytesOf(digitBytes + "abcdefABCDEF")
	alnumSet     = bytesOf(alnumBytes)
	base64URLSet = bytesOf(alnumBytes + "-_")
	base64Set    = bytesOf(alnumBytes + "+/=")
	bearerSet    = bytesOf(alnumBytes + "-._~+/=")
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
