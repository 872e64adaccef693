package core

import "unicode/utf8"

// WeightPerToken is the weight of a token: weights count quarters of a token, so that a byte of plain English weighs about 1.
const WeightPerToken = 4

// The weights of the parts of a text, in quarters of a token. They are fitted to the counts of two tokenisers over
// events of real SDKs and dense texts (testdata/tokens; scripts/count-tokens), as an upper estimate.
const (
	weightOfWord             = 6 // a run of letters up to the next capital: the "load" and the "Cart" of loadCart
	weightOfPlainWord        = 4 // a word after a space
	weightOfLongLetter       = 1 // a letter after the first longWord of a word
	weightOfRarePair         = 2 // two letters that rarely stand together in words: random text is full of them
	weightOfDigit            = 4 // the first digit of a number
	weightOfNextDigit        = 2
	weightOfSpaceBeforeDigit = 2 // a space is counted with the word after it, but not with a number
	weightOfBlanks           = 4 // blanks other than a single space, which is counted with the word after it
	weightOfNewBlank         = 3 // a change from one kind of blank to another
	weightOfSign             = 2 // punctuation after a letter or a digit
	weightOfNextSign         = 3 // punctuation after a blank or other punctuation
	weightOfSameSign         = 1 // punctuation repeated, as in "-----"
	weightOfControl          = 5
	longWord                 = 4 // letters
	longestWord              = 6 // letters; after them each letter weighs twice as much
)

// WeighText estimates how many tokens a model reads in a text, in quarters of a token, and rather too many than too
// few: over real events and dense texts, such as base64, Chinese and JSON, it was at most 10 % below the count of a
// tokeniser. The weights of lines add up to at least the weight of the text that they form.
func WeighText[T ~string | ~[]byte](text T) int {
	scale := textScale{kind: blankChar, last: '\n', length: 2} // as at the start of a line
	addText(&scale, text)
	return scale.weight
}

// CountTokens returns the estimate of WeighText in whole tokens, rounded up.
func CountTokens[T ~string | ~[]byte](text T) int {
	return (WeighText(text) + WeightPerToken - 1) / WeightPerToken
}

// findLightPrefix returns how many bytes of the text weigh at most room as JSON without the quotes. It never splits a character.
func findLightPrefix(text string, room int) int {
	var buffer [16]byte
	scale := textScale{kind: signChar}
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		quoted := appendString(buffer[:0], text[i:i+size])
		addText(&scale, quoted[1:len(quoted)-1])
		if scale.weight > room {
			return i
		}
		i += size
	}
	return len(text)
}

// textScale weighs a text character by character.
type textScale struct {
	weight int
	kind   charKind
	last   byte // the previous character if it is ASCII
	length int  // of the word or the run of blanks that the previous character belongs to
}

type charKind byte

const (
	lowerLetter charKind = iota
	upperLetter
	digitChar
	blankChar
	signChar
	controlChar
	wideLetter // a Latin letter beyond ASCII, which continues a word
	wideChar
)

// charKinds are the kinds of ASCII characters.
var charKinds = makeCharKinds()

func makeCharKinds() (kinds [utf8.RuneSelf]charKind) {
	for c := range kinds {
		switch {
		case 'a' <= c && c <= 'z':
			kinds[c] = lowerLetter
		case 'A' <= c && c <= 'Z':
			kinds[c] = upperLetter
		case '0' <= c && c <= '9':
			kinds[c] = digitChar
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			kinds[c] = blankChar
		case c > ' ' && c < 0x7f:
			kinds[c] = signChar
		default:
			kinds[c] = controlChar
		}
	}
	return kinds
}

// addText adds a text after the earlier ones.
func addText[T ~string | ~[]byte](s *textScale, text T) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			s.addASCII(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
		s.addRune(r)
		i += size
	}
}

func (s *textScale) addASCII(c byte) {
	kind := charKinds[c]
	switch kind {
	case lowerLetter, upperLetter:
		s.addLetter(c, kind)
	case digitChar:
		s.addDigit()
	case blankChar:
		s.addBlank(c)
	case signChar:
		switch {
		case s.kind == blankChar:
			s.weight += weightOfNextSign
		case s.kind != signChar:
			s.weight += weightOfSign
		case s.last == c:
			s.weight += weightOfSameSign
		default:
			s.weight += weightOfNextSign
		}
	default:
		s.weight += weightOfControl
	}
	s.kind, s.last = kind, c
}

// addLetter adds a letter to the word before it, or begins a word. A word begins after anything but a letter, at a
// capital after a small letter, and at a small letter after several capitals.
func (s *textScale) addLetter(c byte, kind charKind) {
	switch {
	case s.kind == kind, s.kind == upperLetter && s.length == 1:
		s.length++
		if s.length > longWord {
			s.weight += weightOfLongLetter
		}
		if s.length > longestWord {
			s.weight += weightOfLongLetter
		}
		if !isCommonPair(s.last, c) {
			s.weight += weightOfRarePair
		}
	case s.kind == wideLetter:
		s.length++
	case s.kind == blankChar:
		s.weight += weightOfPlainWord
		s.length = 1
	default:
		s.weight += weightOfWord
		s.length = 1
	}
}

func (s *textScale) addDigit() {
	switch s.kind {
	case digitChar:
		s.weight += weightOfNextDigit
	case blankChar:
		s.weight += weightOfDigit + weightOfSpaceBeforeDigit
	default:
		s.weight += weightOfDigit
	}
}

func (s *textScale) addBlank(c byte) {
	switch {
	case s.kind != blankChar:
		s.length = 1
		if c != ' ' {
			s.length, s.weight = 2, s.weight+weightOfBlanks
		}
		return
	case s.length == 1:
		s.weight += weightOfBlanks
	case c != s.last:
		s.weight += weightOfNewBlank
	}
	s.length++
}

func (s *textScale) addRune(r rune) {
	kind := wideChar
	if r < endOfLatin {
		kind = wideLetter
		if s.kind != lowerLetter && s.kind != upperLetter && s.kind != wideLetter {
			s.length = 0
		}
	}
	s.weight += weighRune(r)
	s.kind, s.last = kind, 0
}
