package jsregexp

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"
)

// The check of speed runs a pattern over attack texts of attackLen bytes and of half of that. A pattern may take
// attackSteps over one (about 5 ms) and allSteps over all of them (about half a second), and for twice the text not
// much more than twice the steps.
const (
	attackLen   = 8 << 10
	attackSteps = 1 << 20
	allSteps    = 100 << 20
	maxAttacks  = 150
)

// ErrSlow is what CheckSpeed reports.
var ErrSlow = errors.New("the time that it takes grows faster than the text: write out what a back-reference stands for, " +
	"and repeat no part that may match nothing or that overlaps with what follows it")

// A Linear pattern is only measured without its memory, as other engines run it: over plainLen bytes it may take
// plainSteps, which patterns keep to that go quadratic and not worse.
const (
	plainLen   = 256
	plainSteps = 1 << 20
)

// CheckSpeed looks for texts on which the pattern takes more than linear time: each repeated part is pumped, between a
// text that leads to it and one on which the match then fails. It gives ErrSlow, the context's error, or nil. The
// answer depends on the pattern only. Patterns such as (a+)+$ are refused although this engine runs them in linear time:
// settings move between systems, and what explodes in JavaScript's own engine is a mistake in the pattern.
func (re *Regexp) CheckSpeed(ctx context.Context) error {
	a := attacks{groups: map[int]string{}}
	a.visit(re.root, "")
	if re.linear {
		return re.checkPlain(ctx, a.list)
	}
	left := allSteps
	for _, x := range a.list {
		for _, tail := range []string{"", "!"} {
			if err := ctx.Err(); err != nil {
				return err
			}
			half, ok := re.stepsOn(x, tail, attackLen/2)
			if !ok {
				return ErrSlow
			}
			full, ok := re.stepsOn(x, tail, attackLen)
			left -= half + full
			if !ok || full > 3*half && full > 4*attackLen || left < 0 {
				return ErrSlow
			}
		}
	}
	return nil
}

// checkPlain runs a Linear pattern over the attacks without its memory.
func (re *Regexp) checkPlain(ctx context.Context, attacks []attack) error {
	plain := *re
	plain.linear = false
	for _, x := range attacks {
		for _, tail := range []string{"", "!"} {
			if err := ctx.Err(); err != nil {
				return err
			}
			steps := plainSteps
			if _, ok := plain.FindAll(nil, x.text(plainLen)+tail, &steps); !ok {
				return ErrSlow
			}
		}
	}
	return nil
}

func (re *Regexp) stepsOn(x attack, tail string, length int) (used int, ok bool) {
	steps := attackSteps
	_, ok = re.FindAll(nil, x.text(length)+tail, &steps)
	return attackSteps - steps, ok
}

// attack is a text of lead, then pump over and over.
type attack struct{ lead, pump string }

// text makes the attack about as long.
func (x attack) text(length int) string {
	return x.lead + strings.Repeat(x.pump, max(1, (length-len(x.lead))/len(x.pump)))
}

// attacks collects them on a walk over the pattern.
type attacks struct {
	list   []attack
	groups map[int]string // what a group captured in the sample
}

// visit adds the attacks on the node, reached after lead, and gives samples of what the node matches, at least one.
func (a *attacks) visit(n *node, lead string) []string {
	switch n.op {
	case opChar:
		return []string{string(n.r)}
	case opSet:
		return n.set.samples()
	case opBackref:
		return []string{a.groups[n.group]}
	case opGroup:
		samples := a.visit(n.kids[0], lead)
		a.groups[n.group] = samples[0]
		return samples
	case opLook:
		a.visit(n.kids[0], lead)
	case opAlt:
		var all []string
		for _, kid := range n.kids {
			all = append(all, a.visit(kid, lead)[0])
		}
		return all
	case opRepeat:
		return a.repeat(n, lead)
	case opConcat:
		first, other := "", ""
		for _, kid := range n.kids {
			samples := a.visit(kid, lead+first)
			first, other = first+samples[0], other+samples[len(samples)-1]
			a.add("", lead+first)
		}
		return []string{first, other}
	}
	return []string{""}
}

func (a *attacks) repeat(n *node, lead string) []string {
	bodies := a.visit(n.kids[0], lead)
	for _, body := range bodies {
		a.add(lead, body)
		a.add("", lead+body)
	}
	if len(bodies) > 1 {
		a.add(lead, strings.Join(bodies, ""))
	}
	samples := []string{strings.Repeat(bodies[0], min(max(n.min, 1), 50))}
	if n.min == 0 {
		samples = append(samples, "")
	}
	return samples
}

func (a *attacks) add(lead, pump string) {
	if pump != "" && len(lead)+len(pump) < attackLen/4 && len(a.list) < maxAttacks {
		a.list = append(a.list, attack{lead, pump})
	}
}

// samples gives up to two characters of the set, such as other sets are likely to share.
func (s *charSet) samples() []string {
	var found []string
	for b := range utf8.RuneSelf {
		if c := likely[b]; s.hasByte(c) {
			if found = append(found, string(rune(c))); len(found) == 2 {
				return found
			}
		}
	}
	if len(s.wide) > 0 {
		found = append(found, string(s.wide[0].lo))
	}
	if found == nil {
		return []string{""}
	}
	return found
}

// likely is the ASCII characters, those first that patterns have most.
var likely = func() (list [utf8.RuneSelf]byte) {
	const first = "ab01AB -_.z"
	n := copy(list[:], first)
	for b := range byte(utf8.RuneSelf) {
		if strings.IndexByte(first, b) < 0 {
			list[n] = b
			n++
		}
	}
	return list
}()
