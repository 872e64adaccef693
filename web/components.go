package web

import "errand/core"

// These types are the data of the components in parts/. Templates show fields of the types any and core.Untrusted by the function text,
// because others wrote them. The gallery shows each component.

// The kinds of badges and messages.
const (
	kindBad  = "bad"  // broken, or came back
	kindWarn = "warn" // waits for a person
	kindGood = "good" // held
	kindInfo = "info" // somebody works on it
)

// badge is a word or two about a thing. An empty kind is neutral.
type badge struct {
	Kind string
	Text any
}

// tabs are the parts of a list, each a link.
type tabs struct {
	Label string
	Tabs  []tab
}

type tab struct {
	Name, Path string
	Number     int64
	HasNumber  bool
	IsAtLeast  bool // there are more than the number
	IsHere     bool
}

// choice is a select of a form.
type choice struct {
	Name, Label string
	Options     []option
}

type option struct {
	Value    string
	Text     any
	IsChosen bool
}

// chooseFrom makes a select in which the option with the value is chosen. An unknown value is added as an option, because the address
// has it.
func chooseFrom(name, label, value string, options ...option) choice {
	isThere := false
	for i := range options {
		options[i].IsChosen = options[i].Value == value
		isThere = isThere || options[i].IsChosen
	}
	if !isThere {
		options = append(options, option{value, value, true})
	}
	return choice{name, label, options}
}

// pager is the line below a list.
type pager struct {
	Shown     string // 25 of 42
	State     string // a remark behind it; empty for none
	First     string // path of the first page; empty on it
	Older     string // path of the next page; empty on the last
	OlderText string
}

// emptyList stands where a list has nothing: what it would have, and what to do next.
type emptyList struct {
	Title string
	Lines []string
	Links []frameLink
}

// step is a step of the component "progress". State is done, now, back or empty for one to come.
type step struct {
	State, Name string
	Text        any
	At          *moment
}

// stackPart is an exception, or a thread, of the component "stack".
type stackPart struct {
	Name, Value any // of the exception, above its frames; both empty for a thread
	Remark      string
	IsCause     bool // of the exception above it
	Groups      []frameGroup
}

// frameGroup is frames of a stack that follow each other: of the app, or of libraries, which are folded.
type frameGroup struct {
	IsLibrary, IsOpen bool
	Summary           any // of frames of libraries
	Count, Left       int // how many there are, and how many of them are not shown
	Frames            []stackFrame
}

type stackFrame struct {
	Function, Place any
	Sent            any // the place in the minified file, when a source map led to the other one
	Problem         any // why no source map did
	IsOpen          bool
	Source          []sourceLine
	Vars            []variable
}

type sourceLine struct {
	Number   int64
	Text     core.Untrusted
	IsFailed bool
}

type variable struct{ Name, Value any }

// storyLine is something that somebody did, of the component "story".
type storyLine struct {
	At   moment
	Who  any
	Did  any
	Note any // their words; nil for none
}
