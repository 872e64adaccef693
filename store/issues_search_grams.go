package store

import (
	"slices"
	"unicode"
)

// A gram is a hash of characters that follow each other, whatever their case. Only what has all grams of a text can
// contain the text; whether it does is for searchPattern to say. The project is a gram too, so that the index itself
// leaves out the issues of others.

// gramLength is how many characters a gram has. Of those that are not ASCII pairs are grams too: a Chinese word has two
// characters.
const gramLength = 3

// GramsOf gives the grams by which an issue is found, sorted, each once: at most about 800.
func GramsOf(project int64, title, culprit string) []int32 {
	list := []int32{projectGram(project)}
	for _, text := range []string{title, culprit} {
		characters := folded(text)
		for i := range characters {
			if i+2 <= len(characters) && !isASCIIPair(characters[i:i+2]) {
				list = append(list, gram(characters[i:i+2]))
			}
			if i+gramLength <= len(characters) {
				list = append(list, gram(characters[i:i+gramLength]))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// gramsOfSearch gives grams that every issue with the text has: of the project, where it is not 0, and of the text as many as
// cover it. There are none for a text that is too short for the index.
func gramsOfSearch(project int64, text string) []int32 {
	characters := folded(text)
	var list []int32
	switch n := len(characters); {
	case n >= gramLength:
		for i := 0; i < n; i += gramLength {
			start := min(i, n-gramLength)
			list = append(list, gram(characters[start:start+gramLength]))
		}
	case n == 2 && !isASCIIPair(characters):
		list = append(list, gram(characters))
	default:
		return nil
	}
	if project != 0 {
		list = append(list, projectGram(project))
	}
	return list
}

// gram hashes characters by FNV-1a.
func gram(characters []rune) int32 {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for _, r := range characters {
		for shift := 0; shift < 32; shift += 8 {
			h = (h ^ uint32(r)>>shift&0xff) * prime
		}
	}
	return int32(h)
}

// projectGram has what no text has: more characters than a gram of a text.
func projectGram(project int64) int32 {
	return gram([]rune{rune(project >> 32), rune(project), 0, 0})
}

func folded(text string) []rune {
	characters := []rune(text)
	for i, r := range characters {
		characters[i] = folds(r)
	}
	return characters
}

// folds gives the one letter that stands for all that differ from r in case only. In some locales of Postgres an i with and
// without a dot are the same to ILIKE, so they are here.
func folds(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r - 'a' + 'A'
	case r <= unicode.MaxASCII:
		return r
	case r == 'İ' || r == 'ı':
		return 'I'
	}
	return slices.Min(caseFolds(r))
}

func isASCIIPair(pair []rune) bool { return pair[0] <= unicode.MaxASCII && pair[1] <= unicode.MaxASCII }
