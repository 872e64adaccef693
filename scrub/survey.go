package scrub

// survey counts the kinds of bytes of a text, each kind in a lane of a few bits, up to laneMask. It decides, without a
// branch for each byte, which rules can apply at all.
type survey uint64

// A lane's number. One addition of a byte's entry in laneOf counts all kinds.
const (
	laneOdd    = iota // control characters (but \n and \t) and all bytes beyond ASCII
	laneSeps          // = : > @ %, which stand after a name or in a URL
	laneDigits        // 0 to 9
	laneUppers        // A to Z
	laneDashes        // - _
	laneSpaces        // the space
	laneBs            // b B, which begin Bearer and Basic
	laneQuotes        // " ' `
	lanes
)

const (
	laneBits  = 8
	laneMask  = 1<<laneBits - 1
	laneBytes = 255 // after as many bytes a lane can be full
)

var laneOf = func() (entries [256]uint64) {
	for lane, bytes := range [lanes]string{laneSeps: "=:>@%", laneDigits: digitBytes, laneUppers: upperBytes, laneDashes: "-_", laneSpaces: " ", laneBs: "bB", laneQuotes: "\"'`"} {
		for _, b := range []byte(bytes) {
			entries[b] |= 1 << (lane * laneBits)
		}
	}
	for b := range entries {
		if b < ' ' && b != '\n' && b != '\t' || b >= 0x7F {
			entries[b] = 1 << (laneOdd * laneBits)
		}
	}
	return entries
}()

func surveyOf(s string) survey {
	if len(s) > laneBytes {
		return surveyLong(s)
	}
	var sum, more uint64 // two sums, so that one addition need not wait for the other
	i := 0
	for ; i+8 <= len(s); i += 8 {
		eight := s[i : i+8]
		sum += laneOf[eight[0]] + laneOf[eight[1]] + laneOf[eight[2]] + laneOf[eight[3]]
		more += laneOf[eight[4]] + laneOf[eight[5]] + laneOf[eight[6]] + laneOf[eight[7]]
	}
	for ; i < len(s); i++ {
		sum += laneOf[s[i]]
	}
	return survey(sum + more)
}

// surveyLong adds up the surveys of a long text's parts; a lane that is full stays full.
func surveyLong(s string) (v survey) {
	for len(s) > 0 {
		n := min(len(s), laneBytes)
		part := surveyOf(s[:n])
		s = s[n:]
		var sum survey
		for lane := range lanes {
			sum |= survey(min(v.count(lane)+part.count(lane), laneMask)) << (lane * laneBits)
		}
		v = sum
	}
	return v
}

func (v survey) count(lane int) int { return int(v>>(lane*laneBits)) & laneMask }

func (v survey) has(lane int) bool { return v&(laneMask<<(lane*laneBits)) != 0 }

// isPlain reports whether a text has nothing that isDisguised looks for.
func (v survey) isPlain() bool {
	return v&(laneMask<<(laneOdd*laneBits)|laneMask<<(laneSeps*laneBits)) == 0
}

// isHarmless reports whether a text cannot hold a secret, for it has nothing of what suspects asks for.
func (v survey) isHarmless() bool {
	const needed = laneMask<<(laneSeps*laneBits) | laneMask<<(laneDigits*laneBits) | laneMask<<(laneUppers*laneBits) |
		laneMask<<(laneSpaces*laneBits) | laneMask<<(laneQuotes*laneBits)
	return v&needed == 0
}

// suspicion is a set of what a text may hold.
type suspicion uint8

const (
	ofPairs   suspicion = 1 << iota // names with values, URLs
	ofTokens                        // tokens with a prefix
	ofNumbers                       // cards, social security numbers
	ofWords                         // Bearer and Basic, options of a command line, private keys
	ofOptions                       // short options of a command line
	ofQuotes                        // names before texts in quotes
	ofLogins                        // a netrc file
	suspicions
)

// The least that the secrets without a name have.
const (
	minToken  = 14 // letters, digits, - and _ in a row
	minRandom = 4  // digits and upper-case letters in those
	minDigits = 9  // of a social security number
	minNumber = 11 // digits, blanks and dashes in a row
	minWords  = 8  // bytes of --pass x
)

// suspects tells what the text can hold.
func (v survey) suspects(s string) (what suspicion) {
	if v.has(laneSeps) {
		what = ofPairs
	}
	if len(s) < minWords {
		return what
	}
	if v.count(laneQuotes) >= 2 {
		what |= ofQuotes
	}
	dashes := v.count(laneDashes)
	if v.has(laneBs) && (v.has(laneSpaces) || v.has(laneSeps)) || dashes >= 2 && v.has(laneSpaces) {
		what |= ofWords
	} else if dashes > 0 && v.has(laneSpaces) {
		what |= ofOptions
	}
	digits := v.count(laneDigits)
	if digits >= minDigits && hasRun(s, minNumber, numberSet) {
		what |= ofNumbers
	}
	if digits+v.count(laneUppers) >= minRandom && (hasRun(s, minToken, base64URLSet) || mayHaveBase64(s, dashes)) {
		what |= ofTokens
	}
	return what
}

// numberSet is digits and what may stand between a card's.
var numberSet = func() *[256]bool {
	set := bytesOf(digitBytes + " -+%")
	for b := 0x80; b <= 0xFF; b++ {
		set[b] = true
	}
	return set
}()

// hasRun is true when n bytes of the set stand in a row. It looks at every n-th byte first.
func hasRun(s string, n int, set *[256]bool) bool {
	start := 0 // of a run that no break was found in
	for i := n - 1; i < len(s); i = start + n - 1 {
		if !set[s[i]] {
			start = i + 1
			continue
		}
		from := i
		for from > start && set[s[from-1]] {
			from--
		}
		end := runWithin(s, i+1, from+n-i-1, set)
		if end-from == n {
			return true
		}
		start = end + 1
	}
	return false
}
