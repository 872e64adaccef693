package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frameReaders are the files that read the sent function and line of a frame, each with the reason. All others read core.ViewFrame.
var frameReaders = map[string]string{
	"core/frames.go":                "it is ViewFrame",
	"core/event_json_write.go":      "the stored form",
	"core/event_json_read.go":       "the stored form",
	"envelope/frames.go":            "reads frames from the wire",
	"envelope/notice.go":            "reads frames from the wire",
	"envelope/stack/golang.go":      "reads frames from the wire",
	"envelope/stack/rust.go":        "reads frames from the wire",
	"envelope/limit.go":             "cuts what was sent",
	"envelope/inapp.go":             "decides in_app by what was sent",
	"envelope/inapp_go.go":          "decides in_app by what was sent",
	"envelope/inapp_rust.go":        "decides in_app by what was sent",
	"scrub/event.go":                "masks what was sent",
	"ingest/source_maps.go":         "looks the place up in the source map",
	"ingest/source_maps_results.go": "says whether a map is missed, by what was sent",
	"ingest/notices_repeated.go":    "two notices are equal when they were sent so",
	"grouping/javascript.go":        "finds evaluated code by what engines call it",
	"grouping/frame.go":             "finds decorators, which are Python's",
}

func TestFramesAreReadByTheirView(t *testing.T) {
	t.Parallel()
	exports, packages := listExports(t)
	files := token.NewFileSet()
	load := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	found := map[string]bool{}
	for _, p := range packages {
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			parsed = append(parsed, file)
		}
		info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
		_, err := (&types.Config{Importer: load}).Check(p.ImportPath, files, parsed, info)
		require.NoError(t, err)
		for _, file := range parsed {
			path := strings.TrimPrefix(p.ImportPath, "errand/") + "/" + filepath.Base(files.Position(file.Pos()).Filename)
			for _, at := range findFrameReads(file, info) {
				found[path] = true
				require.Contains(t, frameReaders, path, "%s reads what was sent of a frame: core.ViewFrame says what it shows", files.Position(at))
			}
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(frameReaders)), slices.Collect(maps.Keys(found)), "which files need the exception")
}

// findFrameReads returns the places where a file reads the sent function or line of a core.Frame.
func findFrameReads(file *ast.File, info *types.Info) (reads []token.Pos) {
	written := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if assigned, ok := n.(*ast.AssignStmt); ok && assigned.Tok == token.ASSIGN {
			for _, target := range assigned.Lhs {
				written[target] = true
			}
		}
		s, ok := n.(*ast.SelectorExpr)
		if !ok || written[s] || s.Sel.Name != "Function" && s.Sel.Name != "Lineno" || info.Selections[s] == nil {
			return true
		}
		if field := info.Selections[s].Obj(); field.Pkg() != nil && isFieldOfFrame(field) {
			reads = append(reads, s.Pos())
		}
		return true
	})
	return reads
}

func isFieldOfFrame(field types.Object) bool {
	frame := field.Pkg().Scope().Lookup("Frame")
	if field.Pkg().Path() != "errand/core" || frame == nil {
		return false
	}
	fields := frame.Type().Underlying().(*types.Struct)
	for i := range fields.NumFields() {
		if fields.Field(i) == field {
			return true
		}
	}
	return false
}

type exportedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listExports returns the compiled exports of all packages by path, and the packages of Errand that use frames.
func listExports(t *testing.T) (exports map[string]string, packages []exportedPackage) {
	t.Helper()
	list, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "errand/...").Output()
	require.NoError(t, err, fmt.Sprint(err))
	exports = map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(list))); ; {
		var p exportedPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return exports, packages
		}
		require.NoError(t, err)
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "errand/") && len(p.GoFiles) > 0 {
			packages = append(packages, p)
		}
	}
}
