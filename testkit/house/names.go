package house

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// demandedNames are the one-word names that the language and interfaces of the standard library require: the author of such a
// method had no choice. They count like others, so that a share is what a reader sees, and are also counted separately.
var demandedNames = map[string]string{
	"String": "fmt.Stringer", "GoString": "fmt.GoStringer", "Format": "fmt.Formatter",
	"Error": "error", "Unwrap": "errors.Unwrap", "Is": "errors.Is", "As": "errors.As", "Timeout": "net.Error", "Temporary": "net.Error",
	"Len": "sort.Interface", "Less": "sort.Interface", "Swap": "sort.Interface", "Push": "heap.Interface", "Pop": "heap.Interface",
	"Read": "io.Reader", "Write": "io.Writer", "Close": "io.Closer", "Seek": "io.Seeker",
	"Header": "http.ResponseWriter", "Flush": "http.Flusher", "Hijack": "http.Hijacker",
	"Scan": "sql.Scanner", "Value": "driver.Valuer", "Set": "flag.Value",
	"Accept": "net.Listener", "Addr": "net.Listener",
	"Enabled": "slog.Handler", "Handle": "slog.Handler",
	"Deadline": "context.Context", "Done": "context.Context", "Err": "context.Context",
	"Open": "fs.FS",
}

// IsOneWord reports whether the function's name is one word: Close and url, not closeAll, parseURL or sha256sum.
func (f Function) IsOneWord() bool { return !f.IsTest && len(splitWords(f.Name)) == 1 }

// IsDemanded reports whether the name is required: main, init, and methods of interfaces of the standard library.
func (f Function) IsDemanded() bool {
	if f.Receiver == "" {
		return f.Name == "main" || f.Name == "init"
	}
	return demandedNames[f.Name] != ""
}

// isTestName reports whether the test runner calls a function with this name, by the rule of the go command.
func isTestName(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && (rest == "" || !unicode.IsLower([]rune(rest)[0])) {
			return true
		}
	}
	return false
}

// splitWords splits a name where a capital follows a small letter or begins a word after an abbreviation (readHTTPBody: read,
// HTTP, Body), where a letter follows a digit, and at underscores. The plural of an abbreviation (IDs, URLs) is one word.
func splitWords(name string) []string {
	var words []string
	letters := []rune(name)
	start := 0
	endWord := func(end int) {
		if end > start {
			words = append(words, string(letters[start:end]))
		}
		start = end
	}
	for i, letter := range letters {
		switch {
		case letter == '_':
			endWord(i)
			start = i + 1
		case i > start && beginsWord(letters[i-1], letter, letters[i+1:]):
			endWord(i)
		}
	}
	endWord(len(letters))
	return words
}

func beginsWord(before, letter rune, after []rune) bool {
	switch {
	case unicode.IsDigit(before):
		return unicode.IsLetter(letter)
	case !unicode.IsUpper(letter):
		return false
	case unicode.IsLower(before):
		return true
	}
	isPlural := len(after) > 0 && after[0] == 's' && (len(after) == 1 || unicode.IsUpper(after[1]))
	return len(after) > 0 && unicode.IsLower(after[0]) && !isPlural
}

// Count is how many functions there are, and how many of them have a one-word name.
type Count struct {
	Functions int
	OneWord   int
	Demanded  int // how many of OneWord are required
}

// Share returns the percentage of functions with a one-word name; 0 when there are none.
func (c Count) Share() float64 { return 100 * float64(c.OneWord) / float64(max(c.Functions, 1)) }

// Plus returns the sum of two counts.
func (c Count) Plus(other Count) Count {
	return Count{c.Functions + other.Functions, c.OneWord + other.OneWord, c.Demanded + other.Demanded}
}

// NameCount is the count of one package, or of all packages.
type NameCount struct {
	Package string
	Code    Count
	Tests   Count // helpers and methods in _test.go files
}

// All returns the count of code and tests together.
func (n NameCount) All() Count { return n.Code.Plus(n.Tests) }

// CountNames counts the names of each package, the one with the largest share of one-word names first, and of all packages.
func (s Sources) CountNames() (packages []NameCount, total NameCount) {
	total.Package = "total"
	counts := map[string]*NameCount{}
	for _, f := range s.Functions {
		if f.IsTest {
			continue
		}
		if counts[f.Package] == nil {
			counts[f.Package] = &NameCount{Package: f.Package}
		}
		counts[f.Package].addFunction(f)
		total.addFunction(f)
	}
	for _, count := range counts {
		packages = append(packages, *count)
	}
	slices.SortFunc(packages, func(a, b NameCount) int {
		return cmp.Or(cmp.Compare(b.All().Share(), a.All().Share()), cmp.Compare(a.Package, b.Package))
	})
	return packages, total
}

func (n *NameCount) addFunction(f Function) {
	count := &n.Code
	if f.InTests {
		count = &n.Tests
	}
	count.Functions++
	if f.IsOneWord() {
		count.OneWord++
		if f.IsDemanded() {
			count.Demanded++
		}
	}
}
