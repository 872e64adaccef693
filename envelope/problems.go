package envelope

import (
	"slices"
	"strconv"
	"strings"

	"errand/core"
)

// maxProblems is how many problems of one event are reported.
const maxProblems = 50

// fieldPath leads to a field of the payload or the event. It is kept during the walk, and written only when there is a problem.
type fieldPath []pathStep

// pathStep is the name of a field, or the index in a list when the name is empty. The index is also used where the payload chose
// the name, which may be a secret or a whole text.
type pathStep struct {
	name  string
	index int
}

func (p *fieldPath) enterMember(name string) { *p = append(*p, pathStep{name: name, index: -1}) }
func (p *fieldPath) enterElement(i int)      { *p = append(*p, pathStep{index: i}) }
func (p *fieldPath) leaveValue()             { *p = (*p)[:len(*p)-1] }

// maxPath bounds the written form of a path, in bytes: values can nest deep.
const maxPath = 300

// String writes the path with dots, such as exception.0.stacktrace.frames.3.
func (p fieldPath) String() string {
	var text strings.Builder
	for i, step := range p {
		if text.Len() > maxPath {
			text.WriteString("..")
			break
		}
		if i > 0 {
			text.WriteByte('.')
		}
		switch {
		case isName(step.name):
			text.WriteString(step.name)
		case step.index < 0:
			text.WriteByte('*')
		default:
			text.WriteString(strconv.Itoa(step.index))
		}
	}
	return text.String()
}

// isName reports whether a member's name reads like one.
func isName(text string) bool {
	if text == "" || len(text) > 40 {
		return false
	}
	for i := range len(text) {
		if c := text[i] | 0x20; (c < 'a' || c > 'z') && (text[i] < '-' || text[i] > '9' || text[i] == '/') && text[i] != '_' {
			return false
		}
	}
	return true
}

// addProblem records a problem of an event.
func addProblem(event *core.Event, path, reason string) {
	switch n := len(event.Problems); {
	case n < maxProblems:
		event.Problems = append(event.Problems, core.Problem{Path: path, Reason: reason})
	case n == maxProblems:
		event.Problems = append(event.Problems, core.Problem{Reason: "there were more problems than are listed"})
	}
}

// moveProblems corrects the paths of problems below a list after some of its elements, from the first on, were cut. Problems of
// the cut elements are dropped.
func moveProblems(event *core.Event, list string, first, cut int) {
	event.Problems = slices.DeleteFunc(event.Problems, func(p core.Problem) bool {
		index, isOfList := findIndex(p.Path, list)
		return isOfList && first <= index && index < first+cut
	})
	for i := range event.Problems {
		p := &event.Problems[i]
		index, isOfList := findIndex(p.Path, list)
		if !isOfList || index < first {
			continue
		}
		p.Path = list + strconv.Itoa(index-cut) + strings.TrimPrefix(p.Path, list+strconv.Itoa(index))
	}
}

// findIndex returns the index of the list's element that a path leads through, and whether it leads through one.
func findIndex(path, list string) (index int, isOfList bool) {
	rest, isOfList := strings.CutPrefix(path, list)
	if !isOfList {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, ".")
	index, err := strconv.Atoi(number)
	return index, err == nil
}

// addProblem records a problem with the field of the current object; an empty field means the object itself.
func (d *decoder) addProblem(field, reason string) {
	location := d.path.String()
	if field != "" && location != "" {
		location += "."
	}
	addProblem(d.event, location+field, reason)
}

// dropValue leaves out the next value of the payload and says why.
func (d *decoder) dropValue(reason string) {
	d.addProblem("", reason)
	d.json.skipValue()
}
