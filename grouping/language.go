package grouping

import (
	"strings"

	"errand/core"
)

// language is a family of languages whose frames name functions in the same way.
type language uint8

const (
	unknownLanguage language = iota
	javaScript
	jvm // Java, Kotlin, Scala, Clojure, Groovy
	goLang
	python
	php
	ruby
	dotNet
	native // C, C++, Objective-C, Swift, Rust
	elixir // and Erlang
	dart
	perl
)

// languageOfPlatform returns the language of a platform, by the names of the Sentry SDKs.
func languageOfPlatform(platform string) language {
	switch platform {
	case "javascript", "node":
		return javaScript
	case "python":
		return python
	case "java", "android", "kotlin", "scala", "clojure", "groovy":
		return jvm
	case "go":
		return goLang
	case "php":
		return php
	case "ruby":
		return ruby
	case "csharp", "dotnet", "fsharp", "vb":
		return dotNet
	case "native", "rust", "c", "cpp", "objc", "cocoa", "swift", "apple":
		return native
	case "elixir", "erlang":
		return elixir
	case "dart", "flutter":
		return dart
	case "perl":
		return perl
	}
	return unknownLanguage
}

// ofFrame returns the language of a frame. JavaScript events may hold frames of the app around them (React Native), and some
// clients name no platform: then the file's extension decides.
func (l language) ofFrame(f *core.Frame) language {
	if l != unknownLanguage && l != javaScript {
		return l
	}
	file := frameFile(f)
	dot := strings.LastIndexByte(file, '.')
	if dot < 0 {
		return l
	}
	switch file[dot+1:] {
	case "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "html":
		return javaScript
	case "java", "kt", "kts", "scala", "clj", "groovy":
		return jvm
	case "go":
		return goLang
	case "py":
		return python
	case "php":
		return php
	case "rb", "erb":
		return ruby
	case "cs", "fs", "vb":
		return dotNet
	case "c", "cc", "cpp", "cxx", "h", "hpp", "m", "mm", "swift", "rs":
		return native
	case "ex", "exs", "erl":
		return elixir
	case "dart":
		return dart
	case "pl", "pm":
		return perl
	}
	return l
}

// appendFunction appends the name of a function without the additions of the compiler or runtime, or nothing when the function is
// unknown.
func (l language) appendFunction(buf []byte, name string) []byte {
	if isUnknownName(name) {
		return buf
	}
	name = clipTo(name, maxNameRead)
	switch l {
	case javaScript:
		return appendJavaScript(buf, name)
	case jvm:
		return appendJVM(buf, name)
	case php:
		return appendPHP(buf, name)
	case ruby:
		return appendRuby(buf, name)
	case native:
		return appendNative(buf, name)
	case python:
		if strings.IndexByte(name, '<') > 0 { // Cart.add.<locals>.retry
			name = strings.ReplaceAll(name, "<locals>.", "")
		}
		return append(buf, name...)
	case elixir:
		return append(buf, unwrapElixirClosure(name)...)
	case dart:
		return append(buf, unwrapDartClosure(name)...)
	case perl:
		name, _, _ = strings.Cut(name, "[") // main::__ANON__[/app/a.pl:12]
		return append(buf, name...)
	}
	return append(buf, name...)
}

// appendQualified is appendFunction for languages where module and function form one name.
func (l language) appendQualified(buf []byte, module, function string) []byte {
	if isUnknownName(module) {
		module = ""
	}
	module, function = clipTo(module, maxNameRead), clipTo(function, maxNameRead)
	if l == goLang {
		return appendGo(buf, module, function)
	}
	return appendDotNet(buf, module, function)
}

// isUnknownName reports whether SDKs and runtimes write this name for something without a name.
func isUnknownName(name string) bool {
	switch name {
	case "", "?", "??", "???", "<unknown>", "<unknown module>", "<anonymous>", "<redacted>", "<null>", "unknown",
		"anonymous", "(anonymous)", "{anonymous}", "(anonymous function)", "null", "undefined":
		return true
	}
	return strings.HasPrefix(name, "0x") // an address that nobody could name
}

// unwrapElixirClosure returns the named function around an anonymous one: "anonymous fn/1 in App.run/2" is "App.run/2", and
// "-run/2-fun-0-" is "run/2".
func unwrapElixirClosure(name string) string {
	if strings.HasPrefix(name, "anonymous fn/") {
		if _, outer, found := strings.Cut(name, " in "); found {
			name = outer
		}
	}
	if rest, found := strings.CutPrefix(name, "-"); found {
		name, _, _ = strings.Cut(rest, "-")
	}
	return strings.TrimPrefix(name, "Elixir.")
}

// unwrapDartClosure returns the named function around closures: "Cart.add.<anonymous closure>" is "Cart.add".
func unwrapDartClosure(name string) string {
	for {
		i := strings.LastIndexByte(name, '.')
		if i < 0 || !strings.HasPrefix(name[i+1:], "<") {
			return name
		}
		name = name[:i]
	}
}
