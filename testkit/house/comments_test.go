package house

import (
	"reflect"
	"testing"
	"testing/fstest"
)

func TestReadTurn(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"// ExtendSession moves the end of a live session.":        "",
		"// extendSession has a session end later than it would.":  "has X done",
		"// Key says by what a fix is recognised.":                 "by what, of which, with whom",
		"// Close ends the session, whatever its state.":           "whoever, whatever",
		"// What Postgres has written is kept.":                    "what ... as the subject",
		"// It is refused. What is left stays.":                    "what ... as the subject",
		"// It returns what Postgres has written.":                 "",
		"// Who asks is told.":                                     "who ... as the subject",
		"// The queue is read anew.":                               "anew, all the same, meanwhile",
		"// The event is to be stored.":                            "is to be",
		"// The name is kept as the request has it.":               "as X has it",
		"// A cursor is no number.":                                "is no X",
		"// The lease is no longer valid.":                         "",
		"// The lease is no longer valid, and the key is no good.": "is no X",
		"\t// The id is that of the issue.":                        "that of, those of",
	}
	for line, want := range tests {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if name := readTurn(line); name != want {
				t.Errorf("got %q, want %q", name, want)
			}
		})
	}
}

func TestCountComments(t *testing.T) {
	t.Parallel()
	module := fstest.MapFS{
		"plain.go": {Data: []byte("// Package plain is read aloud.\npackage plain\n\n" +
			"var a = 1 // is to be ignored\n\n//go:generate is to be ignored\n")},
		"store/odd.go": {Data: []byte("package store\n\n// A key is no number.\nvar key = 1\n\nfunc open() {\n" +
			"\t// The id is that of the issue, which is to be read.\n}\n")},
	}

	sources, err := MeasureSources(module)
	if err != nil {
		t.Fatal(err)
	}
	packages, total := sources.CountComments()

	wantPackages := []CommentCount{{Package: "store", Lines: 2, Odd: 2}, {Package: ".", Lines: 1}}
	if !reflect.DeepEqual(packages, wantPackages) {
		t.Errorf("packages: got %+v, want %+v", packages, wantPackages)
	}
	if want := (CommentCount{Package: "total", Lines: 3, Odd: 2}); total != want {
		t.Errorf("total: got %+v, want %+v", total, want)
	}
	for _, f := range sources.Files {
		want := []OddComment{{3, "// A key is no number.", "is no X"},
			{7, "// The id is that of the issue, which is to be read.", "is to be"}}
		if f.Path == "store/odd.go" && !reflect.DeepEqual(f.OddComments, want) {
			t.Errorf("odd comments: got %+v, want %+v", f.OddComments, want)
		}
	}
}

func TestOddCommentsAreAViolation(t *testing.T) {
	t.Parallel()
	file := File{Path: "a.go", CommentLines: 200, OddComments: make([]OddComment, 3)}
	if list := (Sources{Files: []File{file}}).FindViolations(); len(list) != 0 {
		t.Errorf("1.5 %%: got %+v", list)
	}
	file.OddComments = make([]OddComment, 4)
	list := Sources{Files: []File{file}}.FindViolations()
	if len(list) != 1 || list[0].Rule != CommentShare || list[0].Subject != "total" {
		t.Errorf("2 %%: got %+v", list)
	}
}
