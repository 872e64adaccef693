package scrub

import "strings"

// cleanText cleans one text.
func (c *cleaner) cleanText(s string) string { return c.scrubText(s, false) }

// scrubText is cleanText, or its counterpart for a line of source code.
func (c *cleaner) scrubText(s string, code bool) string {
	v := surveyText(s)
	c.isPlainText = v.isPlain()
	if !c.isPlainText && v.hasLane(laneOdd) {
		if t := cleanCharacters(s); t != s {
			s, v = t, surveyText(t)
		}
	}
	var suspected suspicion
	if !v.isHarmless() {
		suspected = v.findSuspicions(s)
		if !code && mayHaveLogins(s, v) {
			suspected |= ofLogins
		}
	}
	if suspected != 0 {
		t, torn := c.rules.maskSecrets(s, suspected, code)
		c.keyIsTorn = c.keyIsTorn || torn
		if len(c.rules.patterns) > 0 && t != s {
			v = surveyText(t)
		}
		s = t
	}
	if len(c.rules.patterns) == 0 {
		return s
	}
	t := c.filterPatterns(s, v)
	if t != s { // a match may have cut a name off its value, or been in front of a token
		t, _ = c.rules.maskSecrets(t, suspicionSets-1, code)
	}
	return t
}

// hasFoldedSuffix reports whether a text ends with a word, given in lower case, in any case.
func hasFoldedSuffix(s, word string) bool {
	n := len(s) - len(word)
	return n >= 0 && s[len(s)-1]|0x20 == word[len(word)-1] && strings.EqualFold(s[n:], word)
}

// findFolded finds a word, given in lower case, in any case; -1 when it is absent.
func findFolded(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
