package scrub

const letterBits = 5

// wordTable finds words in a key by one of their letter triples (the rarest), so that a key without such a triple needs only one
// look at each letter.
type wordTable struct {
	triples tripleSet
	lists   [1 << (3 * letterBits)]uint8 // the triple's list of words
	words   [][]placedWord
}

// placedWord is a word and the index of its triple.
type placedWord struct {
	word
	at int
}

func newWordTable(lists ...[]word) *wordTable {
	t := &wordTable{words: [][]placedWord{nil}}
	for _, list := range lists {
		for _, w := range list {
			at := findRarestTriple(w.text)
			gram := lastTriple(w.text[at : at+3])
			if t.lists[gram] == 0 {
				t.triples.addTriple(gram)
				t.lists[gram] = uint8(len(t.words))
				t.words = append(t.words, nil)
			}
			n := t.lists[gram]
			t.words[n] = append(t.words[n], placedWord{w, at})
		}
	}
	return t
}

// tripleSet has one bit for each triple of letters.
type tripleSet [1 << (3 * letterBits) / 64]uint64

func (t *tripleSet) addTriple(gram uint32) { t[gram>>6] |= 1 << (gram & 63) }

// isHitBy reports whether three letters of the text are in the set; other bytes between them do not count.
func (t *tripleSet) isHitBy(s string) bool {
	var gram uint32
	var hit uint64
	for i := range len(s) { // without branches: a byte that is not a letter shifts nothing
		c := s[i]
		gram = (gram<<(shifts[c]&7) | uint32(letters[c])) & (1<<(3*letterBits) - 1)
		hit |= t[gram>>6] >> (gram & 63)
	}
	return hit&1 != 0
}

// lastTriple returns the last three letters of a text.
func lastTriple(text string) (gram uint32) {
	for i := range len(text) {
		if l := letters[text[i]]; l != 0 {
			gram = pushLetter(gram, l)
		}
	}
	return gram
}

// pushLetter adds a letter to the last two.
func pushLetter(gram uint32, letter uint8) uint32 {
	return (gram<<letterBits | uint32(letter)) & (1<<(3*letterBits) - 1)
}

// findRarestTriple returns the index of the word's least common triple.
func findRarestTriple(text string) int {
	perMille := [26]int{ // approximate, of a to z in keys
		85, 20, 50, 55, 120, 25, 25, 30, 75, 3, 8, 45, 35, 70, 75, 30, 2, 70, 70, 90, 35, 12, 12, 5, 20, 2,
	}
	best, at := 1<<30, 0
	for i := 0; i+3 <= len(text); i++ {
		cost := 1
		for _, c := range []byte(text[i : i+3]) {
			cost *= perMille[c-'a']
		}
		if commonTriples[text[i:i+3]] {
			cost *= 100
		}
		if cost < best {
			best, at = cost, i
		}
	}
	return at
}

// commonTriples are in many keys, such as version, content and class.
var commonTriples = newWordSet("ing ion con tio ons ect ent str cti ass")

// letters holds 1 to 26 for the letters of either case, 0 for every other byte.
var letters = func() (l [256]uint8) {
	for c := range uint8(26) {
		l['a'+c], l['A'+c] = c+1, c+1
	}
	return l
}()

// shifts holds by how many bits a byte moves the letters before it in a triple.
var shifts = func() (s [256]uint8) {
	for c := range s {
		if letters[c] != 0 {
			s[c] = letterBits
		}
	}
	return s
}()

// keyParts are a key's letters in lower case, and the starts of its parts: after anything that is not a letter, and at the humps
// of camelCase.
type keyParts struct {
	text   []byte
	starts []bool
}

// splitKey appends the parts of a key to two slices, so that it allocates no memory.
func splitKey(key string, text []byte, starts []bool) keyParts {
	var before, prev byte // the last two bytes
	for i := range len(key) {
		c := key[i]
		if letters[c] != 0 {
			if isLower(c) && isUpper(prev) && isUpper(before) {
				starts[len(starts)-1] = true // the hump of APIKey is at its K
			}
			text = append(text, c|0x20)
			starts = append(starts, letters[prev] == 0 || isLower(prev) && isUpper(c))
		}
		before, prev = prev, c
	}
	return keyParts{text, starts}
}

// hasWord reports whether the word is at that letter and within its reach.
func (k *keyParts) hasWord(w placedWord, at int) bool {
	end := at + len(w.text)
	if at < 0 || end > len(k.text) || string(k.text[at:end]) != w.text {
		return false
	}
	startsPart, endsPart := k.starts[at], end == len(k.text) || k.starts[end]
	switch w.reach {
	case reachSuffix:
		return endsPart
	case reachPart:
		return startsPart && endsPart
	case reachLast:
		return startsPart && end == len(k.text)
	}
	return true
}

func (k *keyParts) lastPart() []byte {
	i := len(k.text) - 1
	for i > 0 && !k.starts[i] {
		i--
	}
	return k.text[i:]
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool { return letters[c] != 0 || isDigit(c) }
