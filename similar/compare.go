package similar

import (
	"fmt"
	"math"
)

// Frequencies says how many issues there are, and how many have each feature that is not rare.
type Frequencies struct {
	Issues float64
	Of     map[int32]float64
}

// few are so many issues that numbers of fewer mean nothing, and unseen is how many have a feature of which it is not
// known.
const (
	few    = 1000
	unseen = 5
)

// Weights says how telling each feature is: by its inverse document frequency, what few issues have says more.
type Weights struct {
	of     map[int32]float64
	unseen float64
}

// Weights computes the weights of features once for many comparisons.
func (f Frequencies) Weights() Weights {
	weight := func(n float64) float64 { return math.Log1p(max(f.Issues, few) / max(n, 1)) }
	w := Weights{of: make(map[int32]float64, len(f.Of)), unseen: weight(unseen)}
	for feature, n := range f.Of {
		w.of[feature] = weight(n)
	}
	return w
}

func (w Weights) weight(feature int32) float64 {
	if weight, known := w.of[feature]; known {
		return weight
	}
	return w.unseen
}

// Match is how much an issue has in common with what is looked for.
type Match struct {
	Score  float64 // 0 to 1
	shared [kinds]int
}

// Compare gives what two issues have in common: the weight of the features that both have, over that of those that one
// has (Jaccard's index). Both are sorted.
func Compare(a, b []int32, w Weights) Match {
	m, both, onlyA, onlyB := overlap(a, b, w)
	m.Score = share(both, both+onlyA+onlyB)
	return m
}

// CompareText gives how much of a text an issue has. What only the issue has counts little: a text is a part of what could
// be said of it (Tversky's index), and features that no text has do not count at all.
func CompareText(text, issue []int32, w Weights) Match {
	const little = 0.1
	m, both, onlyText, onlyIssue := overlap(text, issue, w)
	m.Score = share(both, both+onlyText+little*onlyIssue)
	return m
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return math.Round(part/whole*1000) / 1000
}

// overlap walks through two sorted sets, and sums up the weights of what both and what only one of them has, as far as
// both have features of the kind.
func overlap(a, b []int32, w Weights) (m Match, both, onlyA, onlyB float64) {
	var inA, inB [kinds]bool
	mark(&inA, a)
	mark(&inB, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			if inB[kindOf(a[i])%kinds] {
				onlyA += w.weight(a[i])
			}
			i++
		case i == len(a) || b[j] < a[i]:
			if inA[kindOf(b[j])%kinds] {
				onlyB += w.weight(b[j])
			}
			j++
		default:
			both += w.weight(a[i])
			m.shared[kindOf(a[i])%kinds]++
			i, j = i+1, j+1
		}
	}
	return m, both, onlyA, onlyB
}

func mark(has *[kinds]bool, list []int32) {
	for _, feature := range list {
		has[kindOf(feature)%kinds] = true
	}
}

// Reasons says what is in common, the most telling first, without any text of the app.
func (m Match) Reasons() []string {
	var list []string
	for _, r := range []struct {
		kind      kind
		one, many string
	}{
		{exception, "The type of the exception is the same.", "%d types of exceptions are the same."},
		{frame, "1 function in the stack trace is the same.", "%d functions in the stack traces are the same."},
		{call, "1 call between functions is the same.", "%d calls between functions are the same."},
		{place, "It happens at the same place.", "It happens at the same %d places."},
		{word, "1 word of the title is the same.", "%d words of the titles are the same."},
	} {
		switch n := m.shared[r.kind]; n {
		case 0:
		case 1:
			list = append(list, r.one)
		default:
			list = append(list, fmt.Sprintf(r.many, n))
		}
	}
	return list
}
