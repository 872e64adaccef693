// Package similar compares issues: it makes hashed features of an event or a text, and says how much two sets of them
// have in common. It is pure, and the same text gives the same features on every machine.
//
// A feature is a hash, with what it is of in its upper bits, so that the reasons of a match need no text. The project is
// not hashed in: the question is asked of all projects unless one is named, and the same error of two services of one
// library is what an agent wants to find. A search in one project leaves the other rows out.
package similar

import (
	"slices"

	"errand/core"
)

// kind says what a feature is of.
type kind uint32

const (
	word      kind = iota // of the title
	exception             // the type of one
	frame                 // a function of the app in a stack
	call                  // two such functions, one called by the other
	place                 // the culprit
	kinds
)

// How many features of a kind are taken.
const (
	maxWords      = 24
	maxExceptions = 5
	maxFrames     = 16
)

// kindShift is where a feature's kind begins; the hash takes the bits below.
const kindShift = 29

func kindOf(feature int32) kind { return kind(uint32(feature) >> kindShift) }

// feature hashes parts of text by FNV-1a.
func feature(k kind, parts ...string) int32 {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * prime
		}
		h = (h ^ 0xff) * prime // no byte of UTF-8
	}
	return int32(uint32(k)<<kindShift | (h^h>>kindShift)&(1<<kindShift-1))
}

// OfEvent gives the features of an issue by its first event, sorted, at most about 70. Title and culprit must be set.
func OfEvent(e *core.Event) []int32 {
	list := headline(string(e.Title), "", string(e.Culprit))
	for i := range min(len(e.Exceptions), maxExceptions) {
		list = appendException(list, string(e.Exceptions[i].Type))
	}
	left := maxFrames
	for i := range e.Exceptions {
		list, left = appendStack(list, e.Exceptions[i].Frames, left)
	}
	for i := range e.Threads {
		if t := &e.Threads[i]; left == maxFrames && (t.Crashed || t.Current) { // only where no exception has a stack
			list, left = appendStack(list, t.Frames, left)
		}
	}
	return set(list)
}

// OfIssue gives the features of an issue of which no event is stored.
func OfIssue(title, exceptionType, culprit string) []int32 {
	return set(headline(title, exceptionType, culprit))
}

func headline(title, exceptionType, culprit string) []int32 {
	list := appendWords(nil, title)
	list = appendException(list, exceptionType)
	if culprit = plain(culprit); culprit != "" {
		list = append(list, feature(place, culprit))
	}
	return list
}

// OfText gives the features of a text that somebody asks about: its words, and types of exceptions as far as words look
// like such.
func OfText(text string) []int32 {
	list := appendWords(nil, text)
	for _, name := range identifiers(text) {
		list = appendException(list, name)
	}
	return set(list)
}

func set(list []int32) []int32 {
	slices.Sort(list)
	return slices.Compact(list)
}

func appendException(list []int32, name string) []int32 {
	if name = plainType(name); name == "" {
		return list
	}
	return append(list, feature(exception, name))
}

// appendStack appends the frames of the app, or all where there are none, and the calls between them.
func appendStack(list []int32, frames []core.Frame, left int) ([]int32, int) {
	own := slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp })
	callee := ""
	for i := range frames {
		if left == 0 {
			break
		}
		f := &frames[i]
		name := frameName(f)
		if own && !f.InApp || name == "" || name == callee {
			continue
		}
		list = append(list, feature(frame, name))
		if callee != "" {
			list = append(list, feature(call, callee, name))
		}
		callee = name
		left--
	}
	return list, left
}
