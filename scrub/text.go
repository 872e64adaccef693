package scrub

import "strings"

// text cleans one text.
func (w *walk) text(s string) string { return w.scrub(s, false) }

// scrub is text, or its like for a line of source code.
func (w *walk) scrub(s string, code bool) string {
	v := surveyOf(s)
	w.plain = v.isPlain()
	if !w.plain && v.has(laneOdd) {
		if t := clean(s); t != s {
			s, v = t, surveyOf(t)
		}
	}
	var what suspicion
	if !v.isHarmless() {
		what = v.suspects(s)
		if !code && mayHaveLogins(s, v) {
			what |= ofLogins
		}
	}
	if what != 0 {
		t, torn := w.rules.mask(s, what, code)
		w.torn = w.torn || torn
		if len(w.rules.patterns) > 0 && t != s {
			v = surveyOf(t)
		}
		s = t
	}
	if len(w.rules.patterns) == 0 {
		return s
	}
	t := w.filterPatterns(s, v)
	if t != s { // a match may have cut a name off its value, or stood before a token
		t, _ = w.rules.mask(t, suspicions-1, code)
	}
	return t
}

// indexFolded finds a word, given in lower case, in any case; -1 when it is not there.
func indexFolded(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
