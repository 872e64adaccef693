package similar

import (
	"fmt"
	"math"
)

// Frequencies holds how many issues there are, and how many have each feature that is not rare.
type Frequencies struct {
	Issues float64
	Of     map[int32]float64
}

// With fewer than fewIssues issues, Frequencies mean nothing. A feature with an unknown number counts as one in unseenCount
// issues.
const (
	fewIssues   = 1000
	unseenCount = 5
)

// Weights hold how telling each feature is, as its inverse document frequency: a feature of few issues says more.
type Weights struct {
	of     map[int32]float64
	unseen float64
}

// ComputeWeights computes the weights of features once for many comparisons.
func (f Frequencies) ComputeWeights() Weights {
	weight := func(n float64) float64 { return math.Log1p(max(f.Issues, fewIssues) / max(n, 1)) }
	w := Weights{of: make(map[int32]float64, len(f.Of)), unseen: weight(unseenCount)}
	for feature, n := range f.Of {
		w.of[feature] = weight(n)
	}
	return w
}

func (w Weights) weightOf(feature int32) float64 {
	if weight, known := w.of[feature]; known {
		return weight
	}
	return w.unseen
}

// Match is how much an issue has in common with the issue or text in question.
type Match struct {
	Score  float64 // 0 to 1
	shared [kindCount]int
}

// CompareIssues returns the similarity of two issues: the weight of the features in both, divided by the weight of the features
// in either (Jaccard's index). Both lists are sorted.
func CompareIssues(a, b []int32, w Weights) Match {
	m, both, onlyA, onlyB := sumOverlap(a, b, w)
	m.Score = divideShare(both, both+onlyA+onlyB)
	return m
}

// CompareText returns how much of a text an issue matches. Features of the issue alone count little, because a text mentions only
// a part of an issue (Tversky's index), and features that a text cannot have do not count at all.
func CompareText(text, issue []int32, w Weights) Match {
	const little = 0.1
	m, both, onlyText, onlyIssue := sumOverlap(text, issue, w)
	m.Score = divideShare(both, both+onlyText+little*onlyIssue)
	return m
}

func divideShare(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return math.Round(part/whole*1000) / 1000
}

// sumOverlap walks through two sorted sets, and sums up the weights of the features in both and in only one of them, for kinds
// that both have.
func sumOverlap(a, b []int32, w Weights) (m Match, both, onlyA, onlyB float64) {
	var inA, inB [kindCount]bool
	markKinds(&inA, a)
	markKinds(&inB, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			if inB[kindOf(a[i])%kindCount] {
				onlyA += w.weightOf(a[i])
			}
			i++
		case i == len(a) || b[j] < a[i]:
			if inA[kindOf(b[j])%kindCount] {
				onlyB += w.weightOf(b[j])
			}
			j++
		default:
			both += w.weightOf(a[i])
			m.shared[kindOf(a[i])%kindCount]++
			i, j = i+1, j+1
		}
	}
	return m, both, onlyA, onlyB
}

func markKinds(has *[kindCount]bool, list []int32) {
	for _, feature := range list {
		has[kindOf(feature)%kindCount] = true
	}
}

// ListReasons returns sentences about the common features, the most telling first, without any text of the app.
func (m Match) ListReasons() []string {
	var list []string
	for _, r := range []struct {
		kind      kind
		one, many string
	}{
		{kindException, "The type of the exception is the same.", "%d types of exceptions are the same."},
		{kindFrame, "1 function in the stack trace is the same.", "%d functions in the stack traces are the same."},
		{kindCall, "1 call between functions is the same.", "%d calls between functions are the same."},
		{kindCulprit, "It happens at the same place.", "It happens at the same %d places."},
		{kindWord, "1 word of the title is the same.", "%d words of the titles are the same."},
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
