// Command names prints how many functions of this repository have a one-word name, what is too long, and how many comments read
// like a translation.
// Run it in the repository: go run ./scripts/names, or make names.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"errand/testkit/house"
)

const usage = `Usage: go run ./scripts/names [package ...]

Prints, for each package and in total, how many functions and methods have a one-word name (Close, not closeAll),
the worst package first; then the packages with odd comments, the longest functions, and what is over the bounds that
go test ./testkit/house holds. With packages (store, store/embedded), lists their one-word names and odd comments
instead.

How it counts:
  code, tests  functions in _test.go files stand apart. TestX, BenchmarkX, FuzzX and ExampleX are not counted.
  demanded     one-word names that are not a choice: main, init, and methods that interfaces of the standard library
               want (String, Error, Unwrap, Len, Read, Close, Scan ...), by their name. They are in the shares too.
  one word     no capital or letter after a digit begins a second word, and there is no underscore. URL and IDs are
               one word, parseURL and sha256sum are two.
  odd comments lines with a turn that reads like a translation ("is to be", "of which"). Each is a reason to read the
               sentence aloud, not a verdict: a few are fine.
  lengths      every line counts, comments and empty ones too; a tab is one character.
It reads the Go files of the folder it is started in, whatever their build tags.
`

const longestFunctions = 15

func main() {
	flag.Usage = func() { fmt.Print(usage) }
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
}

func run(packages []string) error {
	sources, err := house.MeasureSources(os.DirFS("."))
	switch {
	case err != nil:
		return err
	case len(sources.Files) == 0:
		return errors.New("there are no Go files here: start it in the repository")
	case len(packages) == 0:
		printCounts(sources)
		printCommentCounts(sources)
		printLengths(sources)
	}
	for _, name := range packages {
		packageName := strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
		if err := printOneWordNames(sources, packageName); err != nil {
			return err
		}
		printOddComments(sources, packageName)
	}
	return nil
}

func printCounts(sources house.Sources) {
	packages, total := sources.CountNames()
	fmt.Printf("%8s %6s %6s  %15s  %15s  %8s  %s\n", "one-word", "of all", "share", "code", "tests", "demanded", "package")
	for _, n := range append(packages, total) {
		all := n.All()
		fmt.Printf("%8d %6d %4.0f %%  %15s  %15s  %8d  %s\n",
			all.OneWord, all.Functions, all.Share(), formatCount(n.Code), formatCount(n.Tests), all.Demanded, n.Package)
	}
}

func formatCount(c house.Count) string {
	return fmt.Sprintf("%d/%d %3.0f %%", c.OneWord, c.Functions, c.Share())
}

func printCommentCounts(sources house.Sources) {
	packages, total := sources.CountComments()
	fmt.Printf("\n%8s %6s %7s  %s\n", "odd", "of all", "share", "comments of package")
	for _, c := range append(packages, total) {
		if c.Odd > 0 || c.Package == total.Package {
			fmt.Printf("%8d %6d %5.1f %%  %s\n", c.Odd, c.Lines, c.Share(), c.Package)
		}
	}
}

func printLengths(sources house.Sources) {
	fmt.Println("\nlongest functions")
	for _, f := range sources.Functions[:min(longestFunctions, len(sources.Functions))] {
		fmt.Printf("  %d  %s  %s:%d\n", f.Lines, f.FullName(), f.File, f.Line)
	}
	fmt.Println("\nover the bounds")
	violations := sources.FindViolations()
	for _, v := range violations {
		fmt.Printf("  %s: %s\n", v.Rule, v.Text)
	}
	if len(violations) == 0 {
		fmt.Println("  nothing")
	}
}

func printOneWordNames(sources house.Sources, packageName string) error {
	functions := slices.DeleteFunc(slices.Clone(sources.Functions), func(f house.Function) bool { return f.Package != packageName })
	if len(functions) == 0 {
		return fmt.Errorf("there is no package %s", packageName)
	}
	slices.SortFunc(functions, func(a, b house.Function) int { return strings.Compare(a.FullName(), b.FullName()) })
	for _, f := range functions {
		switch {
		case f.IsOneWord() && f.IsDemanded():
			fmt.Printf("%s  %s:%d  (demanded)\n", f.FullName(), f.File, f.Line)
		case f.IsOneWord():
			fmt.Printf("%s  %s:%d\n", f.FullName(), f.File, f.Line)
		}
	}
	return nil
}

func printOddComments(sources house.Sources, packageName string) {
	for _, f := range sources.Files {
		if path.Dir(f.Path) != packageName {
			continue
		}
		for _, c := range f.OddComments {
			fmt.Printf("%s:%d  %s  (%s)\n", f.Path, c.Line, c.Text, c.Turn)
		}
	}
}
