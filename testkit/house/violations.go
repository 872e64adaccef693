package house

import (
	"cmp"
	"fmt"
	"slices"
)

// Rule is one of the rules for the sources.
type Rule string

// The rules, by their names in reports.
const (
	FileLength     Rule = "file length"
	FunctionLength Rule = "function length"
	LineLength     Rule = "line length"
	NameShare      Rule = "share of one-word names"
	CommentShare   Rule = "share of odd comments"
)

// Violation is one breach of a rule. Subject is the key of an exception: the path of a file, the full name of a function, or
// "total" for a share.
type Violation struct {
	Rule    Rule
	Subject string
	Text    string // for people: where, how much, and the bound
}

// FindViolations lists the breaches, the worst of each rule first; all long lines of a file are one.
func (s Sources) FindViolations() []Violation {
	var list []Violation
	for _, f := range s.Files {
		if f.Lines > f.MaxLines() {
			list = append(list, Violation{FileLength, f.Path, fmt.Sprintf("%s has %d lines, at most %d", f.Path, f.Lines, f.MaxLines())})
		}
	}
	for _, f := range s.Functions {
		if f.Lines > MaxFunctionLines {
			list = append(list, Violation{FunctionLength, f.FullName(), fmt.Sprintf("%s:%d %s has %d lines, at most %d",
				f.File, f.Line, f.FullName(), f.Lines, MaxFunctionLines)})
		}
	}
	filesByLongLines := slices.Clone(s.Files)
	slices.SortStableFunc(filesByLongLines, func(a, b File) int { return cmp.Compare(len(b.LongLines), len(a.LongLines)) })
	for _, f := range filesByLongLines {
		if len(f.LongLines) > 0 {
			list = append(list, Violation{LineLength, f.Path, fmt.Sprintf("%s has lines of more than %d characters: %d",
				f.Path, MaxLineLength, f.LongLines)})
		}
	}
	if _, total := s.CountNames(); total.All().Share() >= MaxOneWordShare {
		list = append(list, Violation{NameShare, total.Package, fmt.Sprintf("%.1f %% of all functions have a one-word name, below %d",
			total.All().Share(), MaxOneWordShare)})
	}
	if _, total := s.CountComments(); total.Share() > MaxCommentShare {
		list = append(list, Violation{CommentShare, total.Package, fmt.Sprintf("%.1f %% of all lines of comment are odd, at most %g: "+
			"make names counts them by package", total.Share(), MaxCommentShare)})
	}
	return list
}
