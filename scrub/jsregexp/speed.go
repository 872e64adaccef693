package jsregexp

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"
)

// CheckSpeed runs a pattern over attack texts of attackLen bytes and of half that length. A pattern may take attackSteps for one
// (about 5 ms) and allSteps for all of them (about half a second), and for twice the text not much more than twice the steps.
const (
	attackLen   = 8 << 10
	attackSteps = 1 << 20
	allSteps    = 100 << 20
	maxAttacks  = 150
)

// ErrSlow is the result of CheckSpeed for a pattern that is too slow, as a sentence for the person who wrote it.
var ErrSlow = errors.New("the time that it takes grows faster than the text: write out what a back-reference stands for, " +
	"and repeat no part that may match nothing or that overlaps with what follows it")

// A pattern that is linear here is measured without the machine's memory, as other engines run it: over plainLen bytes it may
// take plainSteps, which is enough for a quadratic pattern and for nothing worse.
const (
	plainLen   = 256
	plainSteps = 1 << 20
)

// CheckSpeed searches for texts that cost the pattern more than linear time: each repeated part is pumped, between a text that
// leads to it and a tail that makes the match fail. It returns ErrSlow, the context's error, or nil. The result depends only on
// the pattern. Patterns such as (a+)+$ are refused although this engine runs them in linear time: settings move between systems,
// and a pattern that explodes in JavaScript's own engine is a mistake.
func (re *Regexp) CheckSpeed(ctx context.Context) error {
	a := attacks{captured: map[int]string{}}
	a.visitNode(re.root, "")
	if re.isLinear {
		return re.checkPlain(ctx, a.list)
	}
	left := allSteps
	for _, attack := range a.list {
		for _, tail := range []string{"", "!"} {
			if err := ctx.Err(); err != nil {
				return err
			}
			half, ok := re.countSteps(attack, tail, attackLen/2)
			if !ok {
				return ErrSlow
			}
			full, ok := re.countSteps(attack, tail, attackLen)
			left -= half + full
			if !ok || full > 3*half && full > 4*attackLen || left < 0 {
				return ErrSlow
			}
		}
	}
	return nil
}

// checkPlain runs a linear pattern over the attacks without the machine's memory.
func (re *Regexp) checkPlain(ctx context.Context, attacks []attack) error {
	plain := *re
	plain.isLinear = false
	for _, attack := range attacks {
		for _, tail := range []string{"", "!"} {
			if err := ctx.Err(); err != nil {
				return err
			}
			steps := plainSteps
			if _, ok := plain.FindAll(nil, attack.makeText(plainLen)+tail, &steps); !ok {
				return ErrSlow
			}
		}
	}
	return nil
}

// countSteps returns how many steps a search of the attack takes; ok is false when they are more than attackSteps.
func (re *Regexp) countSteps(a attack, tail string, length int) (used int, ok bool) {
	steps := attackSteps
	_, ok = re.FindAll(nil, a.makeText(length)+tail, &steps)
	return attackSteps - steps, ok
}

// attack is a text: lead, then pump repeated.
type attack struct{ lead, pump string }

// makeText returns the attack, about as long as asked.
func (a attack) makeText(length int) string {
	return a.lead + strings.Repeat(a.pump, max(1, (length-len(a.lead))/len(a.pump)))
}

// attacks collects the attacks on a pattern, during a walk over its nodes.
type attacks struct {
	list     []attack
	captured map[int]string // the text that each group captured in the sample
}

// visitNode adds the attacks on a node that is reached after lead. It returns texts that the node matches, at least one.
func (a *attacks) visitNode(n *node, lead string) []string {
	switch n.op {
	case opChar:
		return []string{string(n.char)}
	case opSet:
		return n.set.pickSamples()
	case opBackref:
		return []string{a.captured[n.group]}
	case opGroup:
		samples := a.visitNode(n.kids[0], lead)
		a.captured[n.group] = samples[0]
		return samples
	case opLook:
		a.visitNode(n.kids[0], lead)
	case opAlt:
		var all []string
		for _, kid := range n.kids {
			all = append(all, a.visitNode(kid, lead)[0])
		}
		return all
	case opRepeat:
		return a.visitRepeat(n, lead)
	case opConcat:
		first, other := "", ""
		for _, kid := range n.kids {
			samples := a.visitNode(kid, lead+first)
			first, other = first+samples[0], other+samples[len(samples)-1]
			a.addAttack("", lead+first)
		}
		return []string{first, other}
	}
	return []string{""}
}

func (a *attacks) visitRepeat(n *node, lead string) []string {
	bodies := a.visitNode(n.kids[0], lead)
	for _, body := range bodies {
		a.addAttack(lead, body)
		a.addAttack("", lead+body)
	}
	if len(bodies) > 1 {
		a.addAttack(lead, strings.Join(bodies, ""))
	}
	samples := []string{strings.Repeat(bodies[0], min(max(n.min, 1), 50))}
	if n.min == 0 {
		samples = append(samples, "")
	}
	return samples
}

func (a *attacks) addAttack(lead, pump string) {
	if pump != "" && len(lead)+len(pump) < attackLen/4 && len(a.list) < maxAttacks {
		a.list = append(a.list, attack{lead, pump})
	}
}

// pickSamples returns up to two characters of the set, preferring those that other sets are likely to share.
func (s *charSet) pickSamples() []string {
	var found []string
	for b := range utf8.RuneSelf {
		if c := likelyBytes[b]; s.hasByte(c) {
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

// likelyBytes are the ASCII characters, the most common in patterns first.
var likelyBytes = func() (list [utf8.RuneSelf]byte) {
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
