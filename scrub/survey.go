package scrub

// survey counts the kinds of bytes in a text, each kind in a lane of a few bits, up to laneMask. It decides, without a branch for
// each byte, which rules can apply at all.
type survey uint64

// The numbers of the lanes. Adding a byte's entry in laneEntries counts all kinds in one step.
const (
	laneOdd    = iota // control characters (except \n and \t) and all bytes beyond ASCII
	laneSeps          // = : > @ % &, which follow a name, or are in a URL or an escaped tag
	laneDigits        // 0 to 9
	laneUppers        // A to Z
	laneDashes        // - _
	laneSpaces        // the space
	laneBs            // b B, which begin Bearer and Basic
	laneQuotes        // " ' `
	laneCount
)

const (
	laneBits  = 8
	laneMask  = 1<<laneBits - 1
	laneBytes = 255 // a lane can be full after this many bytes
)

var laneEntries = func() (entries [256]uint64) {
	lanes := [laneCount]string{
		laneSeps: "=:>@%&", laneDigits: digitBytes, laneUppers: upperBytes, laneDashes: "-_", laneSpaces: " ", laneBs: "bB",
		laneQuotes: "\"'`",
	}
	for lane, list := range lanes {
		for _, b := range []byte(list) {
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

func surveyText(s string) survey {
	if len(s) > laneBytes {
		return surveyLongText(s)
	}
	var sum, more uint64 // two sums, so that one addition need not wait for the other
	i := 0
	for ; i+8 <= len(s); i += 8 {
		eight := s[i : i+8]
		sum += laneEntries[eight[0]] + laneEntries[eight[1]] + laneEntries[eight[2]] + laneEntries[eight[3]]
		more += laneEntries[eight[4]] + laneEntries[eight[5]] + laneEntries[eight[6]] + laneEntries[eight[7]]
	}
	for ; i < len(s); i++ {
		sum += laneEntries[s[i]]
	}
	return survey(sum + more)
}

// surveyLongText adds up the surveys of a long text's parts; a lane that is full stays full.
func surveyLongText(s string) (v survey) {
	for len(s) > 0 {
		n := min(len(s), laneBytes)
		part := surveyText(s[:n])
		s = s[n:]
		var sum survey
		for lane := range laneCount {
			sum |= survey(min(v.countLane(lane)+part.countLane(lane), laneMask)) << (lane * laneBits)
		}
		v = sum
	}
	return v
}

func (v survey) countLane(lane int) int { return int(v>>(lane*laneBits)) & laneMask }

func (v survey) hasLane(lane int) bool { return v&(laneMask<<(lane*laneBits)) != 0 }

// isPlain reports whether a text has nothing that isDisguised looks for.
func (v survey) isPlain() bool {
	return v&(laneMask<<(laneOdd*laneBits)|laneMask<<(laneSeps*laneBits)) == 0
}

// isHarmless reports whether a text cannot hold a secret, because it has nothing that findSuspicions looks for.
func (v survey) isHarmless() bool {
	const needed = laneMask<<(laneSeps*laneBits) | laneMask<<(laneDigits*laneBits) | laneMask<<(laneUppers*laneBits) |
		laneMask<<(laneSpaces*laneBits) | laneMask<<(laneQuotes*laneBits)
	return v&needed == 0
}

// suspicion is a set of the kinds of secrets that a text may hold.
type suspicion uint8

const (
	ofPairs   suspicion = 1 << iota // names with values, URLs
	ofTokens                        // tokens with a prefix
	ofNumbers                       // cards, social security numbers
	ofWords                         // Bearer and Basic, options of a command line, private keys
	ofOptions                       // short options of a command line
	ofQuotes                        // names before texts in quotes
	ofLogins                        // a netrc file
	suspicionSets
)

// The least content of the secrets without a name.
const (
	minToken  = 14 // letters, digits, - and _ in a row
	minRandom = 4  // digits and upper-case letters in those
	minDigits = 9  // of a social security number
	minNumber = 11 // digits, blanks and dashes in a row
	minWords  = 8  // bytes of --pass x
)

// findSuspicions returns the kinds of secrets that the text may hold.
func (v survey) findSuspicions(s string) (suspected suspicion) {
	if v.hasLane(laneSeps) {
		suspected = ofPairs
	}
	if len(s) < minWords {
		return suspected
	}
	if v.countLane(laneQuotes) >= 2 {
		suspected |= ofQuotes
	}
	dashes := v.countLane(laneDashes)
	if v.hasLane(laneBs) && (v.hasLane(laneSpaces) || v.hasLane(laneSeps)) || dashes >= 2 && v.hasLane(laneSpaces) {
		suspected |= ofWords
	} else if dashes > 0 && v.hasLane(laneSpaces) {
		suspected |= ofOptions
	}
	digits := v.countLane(laneDigits)
	if digits >= minDigits && hasRun(s, minNumber, numberSet) {
		suspected |= ofNumbers
	}
	if digits+v.countLane(laneUppers) >= minRandom && (hasRun(s, minToken, base64URLSet) || mayHaveBase64(s, dashes)) {
		suspected |= ofTokens
	}
	return suspected
}

// numberSet is digits and the separators within a card's number.
var numberSet = func() *[256]bool {
	set := newByteSet(digitBytes + " -+%")
	for b := 0x80; b <= 0xFF; b++ {
		set[b] = true
	}
	return set
}()

// hasRun reports whether n bytes of the set are in a row. It looks at every n-th byte first.
func hasRun(s string, n int, set *[256]bool) bool {
	start := 0 // of a run without a known break
	for i := n - 1; i < len(s); i = start + n - 1 {
		if !set[s[i]] {
			start = i + 1
			continue
		}
		from := i
		for from > start && set[s[from-1]] {
			from--
		}
		end := skipRunWithin(s, i+1, from+n-i-1, set)
		if end-from == n {
			return true
		}
		start = end + 1
	}
	return false
}
