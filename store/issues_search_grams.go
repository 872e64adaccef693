package store

import (
	"slices"
	"unicode"
)

// A gram is a hash of consecutive characters, regardless of case. Only an issue with all grams of a text can contain the
// text; searchPattern decides whether it does. The project is a gram too, so that the index itself leaves out the issues of
// other projects.

// gramLength is how many characters a gram has. Pairs of characters that are not ASCII are grams too: a Chinese word has two characters.
const gramLength = 3

// HashGrams returns the grams that find an issue, sorted and without duplicates: at most about 800.
func HashGrams(project int64, title, culprit string) []int32 {
	list := []int32{hashProjectGram(project)}
	for _, text := range []string{title, culprit} {
		characters := foldText(text)
		for i := range characters {
			if i+2 <= len(characters) && !isASCIIPair(characters[i:i+2]) {
				list = append(list, hashGram(characters[i:i+2]))
			}
			if i+gramLength <= len(characters) {
				list = append(list, hashGram(characters[i:i+gramLength]))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// hashSearchGrams returns grams that every issue with the text has: the project's, unless it is 0, and enough grams of the
// text to cover it. A text that is too short for the index has none.
func hashSearchGrams(project int64, text string) []int32 {
	characters := foldText(text)
	var list []int32
	switch n := len(characters); {
	case n >= gramLength:
		for i := 0; i < n; i += gramLength {
			start := min(i, n-gramLength)
			list = append(list, hashGram(characters[start:start+gramLength]))
		}
	case n == 2 && !isASCIIPair(characters):
		list = append(list, hashGram(characters))
	default:
		return nil
	}
	if project != 0 {
		list = append(list, hashProjectGram(project))
	}
	return list
}

// hashGram hashes characters with FNV-1a.
func hashGram(characters []rune) int32 {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for _, r := range characters {
		for shift := 0; shift < 32; shift += 8 {
			h = (h ^ uint32(r)>>shift&0xff) * prime
		}
	}
	return int32(h)
}

// hashProjectGram hashes more characters than a gram of a text has, so that no text has the same gram.
func hashProjectGram(project int64) int32 {
	return hashGram([]rune{rune(project >> 32), rune(project), 0, 0})
}

func foldText(text string) []rune {
	characters := []rune(text)
	for i, r := range characters {
		characters[i] = foldRune(r)
	}
	return characters
}

// foldRune returns the one letter that represents all letters that differ from r only in case. To ILIKE in some locales of
// Postgres an i with and without a dot are the same, so they are here.
func foldRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r - 'a' + 'A'
	case r <= unicode.MaxASCII:
		return r
	case r == 'İ' || r == 'ı':
		return 'I'
	}
	return slices.Min(listCaseFolds(r))
}

func isASCIIPair(pair []rune) bool { return pair[0] <= unicode.MaxASCII && pair[1] <= unicode.MaxASCII }
