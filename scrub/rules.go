package scrub

import "errand/core"

// Rules is what is filtered: the default rules and a project's own. It is built once for each change of a project and
// is safe for concurrent use.
type Rules struct {
	keys           ownKeys
	filteredFields [fieldCount]bool // the event's own fields that own names
	patterns       []pattern
}

// NewRules adds a project's scrub_keys and scrub_patterns to the default rules. The error says which of them is wrong and
// why, for a person. There is none for keys that CheckKey, and patterns that CheckPattern, accepts.
func NewRules(keys, patterns []string) (*Rules, error) {
	for _, key := range keys {
		if err := CheckKey(key); err != nil {
			return nil, err
		}
	}
	r := &Rules{keys: newOwnKeys(keys)}
	for f, name := range fieldNames {
		r.filteredFields[f] = r.keys.hasKey(name)
	}
	for _, p := range patterns {
		compiled, err := newPattern(p)
		if err != nil {
			return nil, err
		}
		r.patterns = append(r.patterns, compiled)
	}
	return r, nil
}

// DefaultRules returns the rules of a project that has none of its own.
func DefaultRules() *Rules { return &Rules{} }

// ScrubText cleans one text, such as a note: secrets become [Filtered], control and bidi characters are removed.
func (r *Rules) ScrubText(s string) string {
	c := cleaner{rules: r, steps: eventSteps}
	return c.cleanText(s)
}

// ScrubEvent cleans every text of an event in place. What steers the pipeline and is not stored as it is (Identity, the
// event's id, flags and numbers) stays. An event that passed once does not change when it passes again.
func (r *Rules) ScrubEvent(e *core.Event) {
	c := cleaner{rules: r, steps: eventSteps}
	c.cleanEvent(e)
}

// ScrubMapped cleans what source maps brought into an event that was cleaned before: names, paths and lines of the original code.
// The frames without a Source stay as they are.
func (r *Rules) ScrubMapped(e *core.Event) {
	c := cleaner{rules: r, steps: eventSteps}
	for i := range e.Exceptions {
		c.cleanMapped(e.Exceptions[i].Frames)
	}
	for i := range e.Threads {
		c.cleanMapped(e.Threads[i].Frames)
	}
}

// judgeName judges a name by the project's keys and the default names.
func (r *Rules) judgeName(name string) verdict {
	if r.keys.lengths != 0 && r.keys.hasKey(name) {
		return secret
	}
	return judgeDefaultName(name)
}
