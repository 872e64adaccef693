package scrub

import "errand/core"

// Rules is what is filtered: the default rules and a project's own. It is built once for each change of a project and
// is safe for concurrent use.
type Rules struct {
	own      ownKeys
	fields   [lastField]bool // the event's own fields that own names
	patterns []pattern
}

// New adds a project's scrub_keys and scrub_patterns to the default rules. The error says which of them is wrong and
// why, for a person; keys that CheckKey and patterns that CheckPattern take give none.
func New(keys, patterns []string) (*Rules, error) {
	for _, key := range keys {
		if err := CheckKey(key); err != nil {
			return nil, err
		}
	}
	r := &Rules{own: newOwnKeys(keys)}
	for f, name := range fieldNames {
		r.fields[f] = r.own.has(name)
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

// Default gives the rules of a project that has none of its own.
func Default() *Rules { return &Rules{} }

// Text cleans one text, such as a note: secrets become [Filtered], control and bidi characters are removed.
func (r *Rules) Text(s string) string {
	w := walk{rules: r, steps: eventSteps}
	return w.text(s)
}

// Event cleans every text of an event in place. What steers the pipeline and is not stored as it is (Identity, the
// event's id, flags and numbers) stays. An event that passed once does not change when it passes again.
func (r *Rules) Event(e *core.Event) {
	w := walk{rules: r, steps: eventSteps}
	w.event(e)
}

// verdict judges a name by the project's keys and the default names.
func (r *Rules) verdict(name string) verdict {
	if r.own.lengths != 0 && r.own.has(name) {
		return secret
	}
	return nameOf(name)
}
