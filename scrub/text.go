package scrub

// text cleans one text.
func (w *walk) text(s string) string { return w.clean(s, false) }

// clean is text, or its like for a line of source code.
func (w *walk) clean(s string, code bool) string {
	v := surveyOf(s)
	if v.odd > 0 {
		if t := clean(s); t != s {
			s, v = t, surveyOf(t)
		}
	}
	if on := v.suspects(len(s)); on != nil {
		t, torn := w.rules.mask(s, on, code)
		w.torn = w.torn || torn
		if t != s && len(w.rules.patterns) > 0 {
			v = surveyOf(t)
		}
		s = t
	}
	if len(w.rules.patterns) == 0 {
		return s
	}
	t := w.filterPatterns(s, v)
	if t != s { // a match may have cut a name off its value, or stood before a token
		t, _ = w.rules.mask(t, &triggers, code)
	}
	return t
}
