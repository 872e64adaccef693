package scrub

import "errand/core"

// Rules decide what is filtered: the default rules and a project's own. They are built once for each change of a project and are
// safe for concurrent use.
type Rules struct {
	keys           ownKeys
	filteredFields [fieldCount]bool // the event's own fields that the project's keys name
	patterns       []pattern
}

// NewRules adds a project's scrub_keys and scrub_patterns to the default rules. The error names the wrong one and the reason, for
// a person. Keys and patterns that CheckKey and CheckPattern accept never fail.
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

// DefaultRules returns the rules of a project without its own.
func DefaultRules() *Rules { return &Rules{} }

// ScrubText cleans one text, such as a note: secrets become [Filtered], control and bidi characters are removed.
func (r *Rules) ScrubText(s string) string {
	c := cleaner{rules: r, steps: eventSteps}
	return c.cleanText(s)
}

// ScrubEvent cleans every text of an event in place. Fields that only control the pipeline and are not stored as they are
// (Identity, the event's id, flags and numbers) stay. Scrubbing an event again does not change it.
func (r *Rules) ScrubEvent(e *core.Event) {
	c := cleaner{rules: r, steps: eventSteps}
	c.cleanEvent(e)
}

// ScrubMapped cleans the texts from source maps in an event that was cleaned before: names, paths and lines of the original code.
// Frames without a Source stay as they are.
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
