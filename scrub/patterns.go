package scrub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand/scrub/jsregexp"
)

// pattern is one of a project's scrub_patterns, with the conditions that a text with a match must meet.
type pattern struct {
	re        *jsregexp.Regexp
	literals  []string // the text contains at least one of them, when there are any
	minLength int
	minDigits int
	minUppers int
}

// eventSteps is the work that a project's patterns may do on one event: about 50 ms. When it is used up, each text that a pattern
// would have to search is filtered whole.
const eventSteps = 8 << 20

// maxPattern is the longest pattern, in characters.
const maxPattern = 200

func newPattern(source string) (pattern, error) {
	if utf8.RuneCountInString(source) > maxPattern {
		return pattern{}, fmt.Errorf("a pattern must be at most %d characters", maxPattern)
	}
	re, err := jsregexp.Compile(source)
	if err != nil {
		return pattern{}, err
	}
	return pattern{
		re:        re,
		literals:  re.RequiredLiterals(),
		minLength: re.MinLen(),
		minDigits: min(re.MinCount(newByteSet(digitBytes)), laneMask),
		minUppers: min(re.MinCount(newByteSet(upperBytes)), laneMask),
	}, nil
}

// CheckPattern is the safety check of one of a project's scrub_patterns. The error is a sentence for a person: the pattern does
// not compile, is too long, matches the empty text, or takes more than linear time on a text made to attack it. It takes up to
// about a second; the error is the context's when that ends before.
func CheckPattern(ctx context.Context, source string) error {
	p, err := newPattern(source)
	if err != nil {
		return err
	}
	if p.re.MatchesEmpty() {
		return errors.New("the pattern matches the empty text, so it would match everywhere")
	}
	return p.re.CheckSpeed(ctx)
}

// mayMatch returns false when the text cannot have a match.
func (p *pattern) mayMatch(s string, v survey) bool {
	if len(s) < p.minLength || v.countLane(laneDigits) < p.minDigits || v.countLane(laneUppers) < p.minUppers {
		return false
	}
	if len(p.literals) == 0 {
		return true
	}
	for _, l := range p.literals {
		if strings.Contains(s, l) {
			return true
		}
	}
	return false
}

// filterPatterns masks the matches of the project's patterns.
func (c *cleaner) filterPatterns(s string, v survey) string {
	for i := range c.rules.patterns {
		p := &c.rules.patterns[i]
		if !p.mayMatch(s, v) {
			continue
		}
		masked, ok := p.maskMatches(s, &c.steps)
		if !ok {
			return Mask
		}
		if masked != s {
			s, v = masked, surveyText(masked)
		}
	}
	return s
}

// maskMatches masks the matches of one pattern, except inside a mask; ok is false when its work was not finished.
func (p *pattern) maskMatches(s string, steps *int) (masked string, ok bool) {
	defer func() {
		if recover() != nil {
			masked, ok = "", false
		}
	}()
	var space [8]jsregexp.Span
	found, ok := p.re.FindAll(space[:0], s, steps)
	if !ok || len(found) == 0 {
		return s, ok
	}
	out := make([]byte, 0, len(s)+len(Mask))
	done := -1 // where the last mask ended
	for _, m := range found {
		from, to := growOverMasks(s, m.Start, m.End)
		if from > done {
			out = append(append(out, s[max(done, 0):from]...), Mask...)
		}
		done = max(done, to)
	}
	return string(append(out, s[done:]...)), true
}

// growOverMasks extends a match that touches masks to the whole of them, so that no mask is masked or cut.
func growOverMasks(s string, from, to int) (int, int) {
	near := max(from-len(Mask)+1, 0)
	if i := strings.Index(s[near:min(from+len(Mask), len(s))], Mask); i >= 0 && near+i < from {
		from = near + i
		to = max(to, from+len(Mask))
	}
	near = max(to-len(Mask)+1, 0)
	if i := strings.Index(s[near:min(to+len(Mask), len(s))], Mask); i >= 0 && near+i < to {
		to = max(to, near+i+len(Mask))
	}
	return from, to
}
