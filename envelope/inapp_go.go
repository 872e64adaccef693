package envelope

import (
	"slices"
	"strings"

	"errand/core"
)

// correctGo corrects the marks of the Go SDK. It marks everything outside of Go's own folder as the application's, including
// other modules, and nothing at all in a program built with -trimpath.
func correctGo(frames []core.Frame, sdk string) {
	marked := slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp })
	trimmed := !marked && (sdk == "sentry.go" || strings.HasPrefix(sdk, "sentry.go."))
	for i := range frames {
		f := &frames[i]
		f.InApp = (f.InApp || trimmed && f.AbsPath == "" && f.Filename != "") && !isGoLibrary(f)
	}
}

// goFolders are folders of other modules, and of Go where it is installed.
var goFolders = []string{
	"/pkg/mod/", "/vendor/", "/third_party/", "/usr/local/go/src/", "/usr/lib/go", "/libexec/src/", "/Program Files/Go/src/",
}

// isGoLibrary reports whether a frame belongs to another module or to the standard library.
func isGoLibrary(f *core.Frame) bool {
	file, module := fileOf(f), goPackageOf(f)
	if isInFolder(file, goFolders) || strings.Contains(file, "@v") {
		return true
	}
	if strings.HasPrefix(module, "github.com/getsentry/sentry-go") || strings.HasPrefix(module, "golang.org/x/") {
		return true
	}
	root, _, _ := strings.Cut(module, "/")
	if !slices.Contains(goRoots, root) {
		return false
	}
	if strings.IndexByte(file, '\\') >= 0 {
		file = strings.ReplaceAll(file, `\`, "/")
	}
	return file == "" || strings.HasPrefix(file, module+"/") || strings.Contains(file, "/src/"+module+"/")
}

// goPackageOf returns the import path of a frame's package, which may be a part of the function: net/http in
// net/http.(*Server).Serve.
func goPackageOf(f *core.Frame) string {
	if f.Module != "" {
		return string(f.Module)
	}
	name := string(f.Function)
	folder := strings.LastIndexByte(name, '/') + 1
	root, _, found := strings.Cut(name[folder:], ".")
	if !found {
		return ""
	}
	return name[:folder+len(root)]
}

// goRoots are the first parts of the standard library's import paths.
var goRoots = []string{
	"archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed", "encoding", "errors",
	"expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "maps", "math", "mime", "net", "os",
	"path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing",
	"text", "time", "unicode", "unique", "unsafe", "weak",
}
