// Package house measures Go source files against the rules of this repository: how many functions have a one-word name, which
// functions, files and lines are too long, and how many comments read like a translation. Its test enforces the rules; make names
// prints the numbers.
package house

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds for the source. Lengths count everything, including comments and empty lines.
const (
	MaxFileLines     = 300
	MaxTestFileLines = 500
	MaxFunctionLines = 60  // from "func" to the closing brace
	MaxLineLength    = 140 // in characters; a tab is one
	MaxOneWordShare  = 12  // in percent of all functions, tests included
	MaxCommentShare  = 1.5 // in percent of all lines of comment; well-written codebases have 0.4 to 1
)

// Function is one function or method. Functions that the test runner calls (TestX, BenchmarkX, FuzzX, ExampleX) count only for
// their length: IsTest marks them.
type Function struct {
	Package  string // the folder below the module, "." for its root
	File     string // also below the module
	Line     int
	Receiver string // the type of a method, empty for a function
	Name     string
	Lines    int
	InTests  bool // is in a _test.go file
	IsTest   bool
}

// FullName is, for example, "store.Store.Close".
func (f Function) FullName() string {
	name := f.Name
	if f.Receiver != "" {
		name = f.Receiver + "." + name
	}
	return f.Package + "." + name
}

// File is one source file.
type File struct {
	Path         string
	Lines        int
	InTests      bool
	LongLines    []int // the numbers of the lines over MaxLineLength
	CommentLines int   // lines that are comment alone, without directives such as //go:embed
	OddComments  []OddComment
}

// MaxLines is how many lines the file may have.
func (f File) MaxLines() int {
	if f.InTests {
		return MaxTestFileLines
	}
	return MaxFileLines
}

// Sources are the measured functions and files.
type Sources struct {
	Functions []Function // the longest first
	Files     []File     // the longest first
}

// MeasureSources reads all Go files of a module, regardless of build tags. It leaves out node_modules and the folders that the go
// command skips (testdata, vendor, and names that begin with "." or "_").
func MeasureSources(module fs.FS) (Sources, error) {
	var s Sources
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && isIgnoredFolder(name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		return s.addFile(module, name)
	})
	slices.SortStableFunc(s.Functions, func(a, b Function) int { return cmp.Compare(b.Lines, a.Lines) })
	slices.SortStableFunc(s.Files, func(a, b File) int { return cmp.Compare(b.Lines, a.Lines) })
	return s, err
}

func isIgnoredFolder(name string) bool {
	base := path.Base(name)
	return base != "." && strings.ContainsAny(base[:1], "._") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, base)
}

func (s *Sources) addFile(module fs.FS, name string) error {
	text, err := fs.ReadFile(module, name)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	inTests := strings.HasSuffix(name, "_test.go")
	s.Files = append(s.Files, measureLines(name, string(text), inTests))
	for _, declaration := range tree.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first, last := files.Position(function.Pos()).Line, files.Position(function.End()).Line
		s.Functions = append(s.Functions, Function{
			Package: path.Dir(name), File: name, Line: first,
			Receiver: receiverName(function), Name: function.Name.Name,
			Lines:   last - first + 1,
			InTests: inTests,
			IsTest:  inTests && function.Recv == nil && isTestName(function.Name.Name),
		})
	}
	return nil
}

func measureLines(name, text string, inTests bool) File {
	file := File{Path: name, InTests: inTests}
	for line := range strings.Lines(text) {
		file.Lines++
		if utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > MaxLineLength {
			file.LongLines = append(file.LongLines, file.Lines)
		}
		if !commentLine.MatchString(line) {
			continue
		}
		file.CommentLines++
		if name := readTurn(line); name != "" {
			file.OddComments = append(file.OddComments, OddComment{Line: file.Lines, Text: strings.TrimSpace(line), Turn: name})
		}
	}
	return file
}

// receiverName returns the name of a method's type without pointer and type parameters.
func receiverName(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	expression := function.Recv.List[0].Type
	for {
		switch e := expression.(type) {
		case *ast.StarExpr:
			expression = e.X
		case *ast.IndexExpr:
			expression = e.X
		case *ast.IndexListExpr:
			expression = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
