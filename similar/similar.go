// Package similar compares issues: it makes hashed features from an event or a text, and measures how much two sets of them have
// in common. It is pure, and the same text has the same features on every machine.
//
// A feature is a hash with its kind in the upper bits, so that the reasons of a match need no text. The hash does not include the
// project: a search covers all projects unless it names one, and an agent wants to find the same error of one library in two
// services. A search in one project leaves the other rows out.
package similar

import (
	"slices"

	"errand/core"
)

// kind is the source of a feature.
type kind uint32

const (
	kindWord      kind = iota // of the title
	kindException             // the type of one
	kindFrame                 // a function of the app in a stack
	kindCall                  // two such functions, one called by the other
	kindCulprit               // the culprit
	kindCount
)

// How many features of a kind are used.
const (
	maxWords      = 24
	maxExceptions = 5
	maxFrames     = 16
)

// kindShift is the position of a feature's kind; the hash has the bits below.
const kindShift = 29

func kindOf(feature int32) kind { return kind(uint32(feature) >> kindShift) }

// hashFeature hashes parts of text by FNV-1a.
func hashFeature(k kind, parts ...string) int32 {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * prime
		}
		h = (h ^ 0xff) * prime // not a byte of UTF-8
	}
	return int32(uint32(k)<<kindShift | (h^h>>kindShift)&(1<<kindShift-1))
}

// FeaturesOfEvent returns the features of an issue from its first event, sorted, at most about 70. Title and culprit must be set.
func FeaturesOfEvent(e *core.Event) []int32 {
	list := headlineFeatures(string(e.Title), "", string(e.Culprit))
	for i := range min(len(e.Exceptions), maxExceptions) {
		list = appendException(list, string(e.Exceptions[i].Type))
	}
	left := maxFrames
	for i := range e.Exceptions {
		list, left = appendStack(list, e.Exceptions[i].Frames, left)
	}
	for i := range e.Threads {
		if t := &e.Threads[i]; left == maxFrames && (t.Crashed || t.Current) { // only when no exception has a stack
			list, left = appendStack(list, t.Frames, left)
		}
	}
	return sortFeatures(list)
}

// FeaturesOfIssue returns the features of an issue without a stored event.
func FeaturesOfIssue(title, exceptionType, culprit string) []int32 {
	return sortFeatures(headlineFeatures(title, exceptionType, culprit))
}

func headlineFeatures(title, exceptionType, culprit string) []int32 {
	list := appendWords(nil, title)
	list = appendException(list, exceptionType)
	if culprit = plainName(culprit); culprit != "" {
		list = append(list, hashFeature(kindCulprit, culprit))
	}
	return list
}

// FeaturesOfText returns the features of a text in a question: its words, and types of exceptions if words look like them.
func FeaturesOfText(text string) []int32 {
	list := appendWords(nil, text)
	for _, name := range findTypeNames(text) {
		list = appendException(list, name)
	}
	return sortFeatures(list)
}

func sortFeatures(list []int32) []int32 {
	slices.Sort(list)
	return slices.Compact(list)
}

func appendException(list []int32, name string) []int32 {
	if name = plainType(name); name == "" {
		return list
	}
	return append(list, hashFeature(kindException, name))
}

// appendStack appends the frames of the app, or all frames if there are none, and the calls between them.
func appendStack(list []int32, frames []core.Frame, left int) ([]int32, int) {
	hasApp := slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp })
	callee := ""
	for i := range frames {
		if left == 0 {
			break
		}
		f := &frames[i]
		name := frameName(frames, i)
		if hasApp && !f.InApp || name == "" || name == callee {
			continue
		}
		list = append(list, hashFeature(kindFrame, name))
		if callee != "" {
			list = append(list, hashFeature(kindCall, callee, name))
		}
		callee = name
		left--
	}
	return list, left
}
