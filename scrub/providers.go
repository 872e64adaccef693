package scrub

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// provider is a kind of token with a mark of its maker, such as a prefix. Before the mark are at least minBefore bytes of chars,
// after it minAfter to maxAfter.
type provider struct {
	mark               string
	minBefore          int
	minAfter, maxAfter int // maxAfter is 0 when there is no limit
	chars              *[256]bool
	mayJoinWords       bool // chars has signs that may join words
}

// providersList has a line for each kind of token. Its lengths are slightly less than the real ones, for texts that were cut.
//
//go:embed providers.tsv
var providersList string

var providers = readProviders(providersList)

// alphabets are the sets of bytes that the list names.
var alphabets = map[string]*[256]bool{
	"none": {}, "hex": hexSet, "alnum": alnumSet, "url": base64URLSet, "base64": base64Set, "bearer": bearerSet, "escaped": escapedSet,
	"hexdash":   newByteSet(digitBytes + "abcdefABCDEF-"),
	"upper":     newByteSet(upperBytes + digitBytes),
	"upperdash": newByteSet(upperBytes + digitBytes + "-"),
	"dotted":    newByteSet(alnumBytes + "-_.+/="),
	"azure":     newByteSet(alnumBytes + "_~.-"),
}

// readProviders panics when the list, which is part of the program, is malformed.
func readProviders(list string) (all []provider) {
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 8 {
			panic(fmt.Sprintf("scrub: providers.tsv: %q has not 8 columns", line))
		}
		p := provider{mark: columns[2], chars: alphabets[columns[3]]}
		for column, to := range map[int]*int{1: &p.minBefore, 4: &p.minAfter, 5: &p.maxAfter} {
			n, err := strconv.Atoi(columns[column])
			if err != nil {
				panic("scrub: providers.tsv: " + err.Error())
			}
			*to = n
		}
		if p.chars == nil || len(p.mark) < 2 {
			panic(fmt.Sprintf("scrub: providers.tsv: %q has an unknown alphabet or no mark", line))
		}
		p.mayJoinWords = p.chars['z'] && (p.chars['-'] || p.chars['_'] || p.chars['/'] || p.chars['.'])
		all = append(all, p)
	}
	return all
}

// findTrigger returns the index in the mark where the scan stops: at a byte that is rare in texts.
func (p *provider) findTrigger() int {
	for i := 1; i < len(p.mark); i++ {
		if !isAlnum(p.mark[i]) && p.mark[i] != '/' {
			return i
		}
	}
	for i := 1; i < len(p.mark); i++ {
		if c := p.mark[i]; isUpper(c) && c != 'A' || isDigit(c) {
			return i
		}
	}
	return max(1, len(p.mark)-2)
}

// candidate is a provider to try when the scan stops at its trigger.
type candidate struct {
	*provider
	at int
}

// The candidates for two bytes, the one before a trigger and the trigger: candidates[candidateIndex[indexPair(a, b)]].
var candidateIndex, candidates = func() (pairs [1 << 14]uint8, lists [][]candidate) {
	lists = [][]candidate{nil}
	for i := range providers {
		p := &providers[i]
		at := p.findTrigger()
		pair := indexPair(p.mark[at-1], p.mark[at])
		if pairs[pair] == 0 {
			pairs[pair] = uint8(len(lists))
			lists = append(lists, nil)
		}
		lists[pairs[pair]] = append(lists[pairs[pair]], candidate{p, at})
	}
	return pairs, lists
}()

func indexPair(first, second byte) int { return int(first&0x7F)<<7 | int(second&0x7F) }

// tryProvider hides a provider's token whose mark has its trigger at i.
func (m *masker) tryProvider(i int) int {
	if i == 0 {
		return i + 1
	}
	n := candidateIndex[indexPair(m.text[i-1], m.text[i])]
	if n == 0 {
		return i + 1
	}
	for _, c := range candidates[n] {
		mark := i - c.at
		if mark < m.copied || m.text[mark] != c.mark[0] || !hasPrefixAt(m.text, mark, c.mark) || c.provider == m.refused && mark < m.refusedTo {
			continue
		}
		if start, end := m.findToken(c.provider, mark); end > 0 {
			return m.hide(start, end)
		}
	}
	return i + 1
}

// findToken returns the start and end of a provider's token whose mark is at i; the end is 0 when there is none.
func (m *masker) findToken(p *provider, i int) (start, end int) {
	start = i - p.minBefore
	if start < m.copied || p.minBefore == 0 && !m.startsWord(i) {
		return 0, 0
	}
	set := p.chars
	if p.minAfter == 0 && p.maxAfter == 0 {
		set = bearerSet
	}
	if skipRun(m.text[:i], start, set) < i {
		return 0, 0
	}
	body := i + len(p.mark)
	end = skipRunWithin(m.text, body, max(p.minAfter+randomRun, p.maxAfter+1), p.chars)
	n := end - body
	if n < p.minAfter || p.maxAfter > 0 && n > p.maxAfter {
		m.refused, m.refusedTo = p, end
		return 0, 0
	}
	if !p.looksRandom(m.text[start:i], m.text[body:end]) {
		m.refused, m.refusedTo = p, end-randomRun
		return 0, 0
	}
	for p.minBefore > 0 && start > max(m.copied, i-maxProbe) && set[m.text[start-1]] {
		start--
	}
	return start, skipRun(m.text, end, p.chars)
}

// mayHaveBase64 reports whether a text has a prefix before base64, whose + and / may leave only short runs.
func mayHaveBase64(s string, dashes int) bool {
	return dashes > 0 && strings.Contains(s, "c_") && (strings.Contains(s, "whsec_") || strings.Contains(s, "glc_"))
}

func hasPrefixAt(s string, i int, prefix string) bool {
	return len(s)-i >= len(prefix) && s[i:i+len(prefix)] == prefix
}

// randomRun is how much of a token beyond its least length is checked.
const randomRun = 16

// looksRandom returns false for words, such as the name of a style that begins with sk-.
func (p *provider) looksRandom(before, after string) bool {
	if p.minBefore > 0 {
		return hasDigit(before) || hasUpper(before)
	}
	if p.maxAfter == p.minAfter && p.maxAfter > 0 {
		return hasDigit(after)
	}
	return !p.mayJoinWords && (hasDigit(after) || hasUpper(after)) || p.mayJoinWords && hasRandomRun(after)
}

// hasRandomRun reports whether a run of letters and digits does not look like a word.
func hasRandomRun(s string) bool {
	const least = 8
	for i := 0; i < len(s); i++ {
		end := skipRun(s, i, alnumSet)
		if end-i >= least && (hasDigit(s[i:end]) || hasUpper(s[i+1:end])) {
			return true
		}
		i = end
	}
	return false
}
