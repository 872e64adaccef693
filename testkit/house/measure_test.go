package house

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSplitWords(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"close":         {"close"},
		"URL":           {"URL"},
		"IDs":           {"IDs"},
		"closeAll":      {"close", "All"},
		"parseURL":      {"parse", "URL"},
		"readHTTPBody":  {"read", "HTTP", "Body"},
		"listIDsOf":     {"list", "IDs", "Of"},
		"sha256":        {"sha256"},
		"sha256sum":     {"sha256", "sum"},
		"store_events":  {"store", "events"},
		"_":             nil,
		"aFunction":     {"a", "Function"},
		"countÄpfelNow": {"count", "Äpfel", "Now"},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if words := splitWords(name); !slices.Equal(words, want) {
				t.Errorf("got %q, want %q", words, want)
			}
		})
	}
}

func TestMeasureSources(t *testing.T) {
	t.Parallel()
	module := fstest.MapFS{
		"main.go": {Data: []byte("package main\n\nfunc main() {}\n")},
		"store/store.go": {Data: []byte("package store\n\nfunc (s *Store[K]) Close() {\n}\n\n" +
			"func place() {}\n\n// " + strings.Repeat("ä", MaxLineLength-3) + "\n// " + strings.Repeat("ä", MaxLineLength-2) +
			"\nfunc openStore() {}\n")},
		"store/store_test.go":      {Data: []byte("package store_test\n\nfunc TestStore() {}\n\nfunc Testimony() {}\n")},
		"store/testdata/broken.go": {Data: []byte("no Go")},
		".cache/x/x.go":            {Data: []byte("no Go")},
		"store/long.go":            {Data: []byte("package store\n\nfunc fillStore() {\n" + strings.Repeat("\n", MaxFileLines) + "}\n")},
		"store/long_test.go":       {Data: []byte("package store\n" + strings.Repeat("\n", MaxTestFileLines-1))},
	}

	sources, err := MeasureSources(module)
	if err != nil {
		t.Fatal(err)
	}
	packages, total := sources.CountNames()
	var broken []string
	for _, v := range sources.FindViolations() {
		broken = append(broken, string(v.Rule)+": "+v.Subject)
	}

	wantTotal := NameCount{Package: "total", Code: Count{Functions: 5, OneWord: 3, Demanded: 2}, Tests: Count{Functions: 1, OneWord: 1}}
	if total != wantTotal {
		t.Errorf("total: got %+v, want %+v", total, wantTotal)
	}
	wantPackages := []NameCount{
		{Package: ".", Code: Count{Functions: 1, OneWord: 1, Demanded: 1}},
		{Package: "store", Code: Count{Functions: 4, OneWord: 2, Demanded: 1}, Tests: Count{Functions: 1, OneWord: 1}},
	}
	if !reflect.DeepEqual(packages, wantPackages) {
		t.Errorf("packages: got %+v, want %+v", packages, wantPackages)
	}
	wantBroken := []string{
		"file length: store/long.go",
		"function length: store.fillStore",
		"line length: store/store.go",
		"share of one-word names: total",
	}
	if !slices.Equal(broken, wantBroken) {
		t.Errorf("violations: got %q, want %q", broken, wantBroken)
	}
}
