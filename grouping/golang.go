package grouping

import (
	"bytes"
	"strings"

	"errand/core"
)

// appendGo appends the full name of a function without the numbers of closures and without type arguments. SDKs cut the name at
// different dots (module "main", function "run.func1"; or module "main.run.func1", function "2"), so that only the whole name is
// stable.
func appendGo(buf []byte, module, function string) []byte {
	start := len(buf)
	if i := strings.LastIndex(module, "/vendor/"); i >= 0 {
		module = module[i+len("/vendor/"):]
	}
	module = cutTypeArguments(module)
	folder := strings.LastIndexByte(module, '/') + 1
	buf = append(buf, module[:folder]...)
	buf = appendGoParts(buf, start, module[folder:])
	return appendGoParts(buf, start, cutTypeArguments(function))
}

// appendGoParts appends the parts of a name between dots; nested closures count as one.
func appendGoParts(buf []byte, start int, name string) []byte {
	for part := range strings.SplitSeq(name, ".") {
		part = plainGoPart(part)
		if part == "" || part == "func" && bytes.HasSuffix(buf[start:], []byte(".func")) {
			continue
		}
		if len(buf) > start && buf[len(buf)-1] != '/' {
			buf = append(buf, '.')
		}
		buf = append(buf, part...)
	}
	return buf
}

// plainGoPart returns the same name for every closure, regardless of its number.
func plainGoPart(part string) string {
	if part == "" || !isDigit(rune(part[len(part)-1])) && strings.IndexByte(part, '-') < 0 {
		return part
	}
	part = strings.TrimSuffix(part, "-fm") // a method value
	if i := strings.Index(part, "-range"); i >= 0 {
		part = part[:i] // the body of a loop over a function
	}
	for _, prefix := range [...]string{"func", "gowrap", "deferwrap", ""} {
		number, found := strings.CutPrefix(part, prefix)
		if found && number != "" && strings.TrimFunc(number, isDigit) == "" {
			return "func"
		}
	}
	return part
}

// cutTypeArguments drops the text in brackets.
func cutTypeArguments(name string) string {
	if strings.IndexByte(name, '[') < 0 {
		return name
	}
	kept := make([]byte, 0, len(name))
	depth := 0
	for i := range len(name) {
		switch char := name[i]; {
		case char == '[':
			depth++
		case char == ']' && depth > 0:
			depth--
		case depth == 0:
			kept = append(kept, char)
		}
	}
	return string(kept)
}

// plainGoErrors are the types that say only "an error": types of the standard library and of the libraries that wrap errors or
// add a stack to them. Go's errors have no stack, so the SDK sends the stack of the function that reported them.
var plainGoErrors = map[string]bool{
	"*errors.errorString": true, "*fmt.wrapError": true, "*fmt.wrapErrors": true, "*errors.joinError": true,
	"*errors.fundamental": true, "*errors.withStack": true, "*errors.withMessage": true, // github.com/pkg/errors
	"*xerrors.errorString": true, "*xerrors.wrapError": true, "*xerrors.noWrapError": true,
	"*errutil.leafError": true, "*errutil.withPrefix": true, "*errutil.withNewMessage": true, // github.com/cockroachdb/errors
	"*withstack.withStack": true, "*barriers.barrierErr": true, "*barriers.barrierError": true, "*hintdetail.withHint": true,
	"*hintdetail.withDetail": true, "*secondary.withSecondaryError": true, "*markers.withMark": true,
	"*contexttags.withContext": true, "*safedetails.withSafeDetails": true, "*domains.withDomain": true,
	"*errors.Error": true, "*errors.Err": true, // github.com/go-errors/errors, github.com/juju/errors
	"*errors.wrapError": true, "*errors.fundamentalError": true, "*errors.baseError": true, "*errors.stackError": true,
	"*eris.rootError": true, "*eris.wrapError": true, "*errorx.Error": true, "*errgo.Err": true, "*merry.merryErr": true,
	"oops.OopsError": true, "*oops.OopsError": true, "*errs.errorT": true, "*emperror.withStack": true,
	"*multierror.Error": true, "*multierr.multiError": true, "multierr.multiError": true, "*errwrap.wrappedError": true,
	"*status.Error": true, "*status.statusError": true, "*status.wrappedError": true, // google.golang.org/grpc
}

// isPlainType reports whether the type of an exception says nothing about it: in Go, and in Rust, where all panics have one type
// and errors of anyhow another, while optimised programs show few of the called functions. A group of errors is described by its
// parts.
func isPlainType(exception *core.Exception, lang language) bool {
	switch lang {
	case goLang:
		return plainGoErrors[string(exception.Type)] && (exception.Mechanism == nil || !exception.Mechanism.IsGroup)
	case native:
		return exception.Type == "panic" || exception.Type == "Error"
	}
	return false
}
