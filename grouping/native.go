package grouping

import (
	"bytes"
	"strings"
)

// appendNative appends the name of a function of C, C++, Objective-C, Swift or Rust without what differs between
// builds (hashes, numbers of closures and of copies), arguments, type arguments and result.
func appendNative(b []byte, name string) []byte {
	name = strings.TrimSpace(outerSwift(withoutSuffix(name)))
	if strings.HasPrefix(name, "___lldb_unnamed_symbol") {
		return b
	}
	if method, found := objectiveC(name); found {
		return append(b, method...)
	}
	if block, _, found := strings.Cut(name, "_block_invoke"); found {
		name = strings.TrimLeft(block, "_")
	}
	w := nativeWriter{b: b, start: len(b)}
	for i := 0; i < len(name) && !w.done; {
		plain := i
		for i < len(name) && !isNativeSpecial(name[i]) {
			i++
		}
		w.b = append(w.b, name[plain:i]...)
		if i < len(name) {
			i = w.special(name, i)
		}
	}
	return w.b
}

// isNativeSpecial reports whether a byte may begin something that does not belong to the name.
func isNativeSpecial(c byte) bool {
	switch c {
	case '(', '<', '{', '[', '`', ' ', '$':
		return true
	}
	return false
}

// withoutSuffix cuts what compilers and linkers put behind a name.
func withoutSuffix(name string) string {
	for i := 1; i < len(name); i++ {
		if c := name[i]; c == '.' || c == '[' || c == '+' || c == '@' {
			name = withoutMark(name, i)
			break
		}
	}
	const hash = 16 // Rust: app::run::h0123456789abcdef, mangled _ZN3app3run17h0123456789abcdefE
	if i := len(name) - len("::h") - hash; i > 0 && name[i:i+3] == "::h" && isHex(name[i+3:]) {
		return name[:i]
	}
	if i := len(name) - len("17h") - hash - 1; i > 0 && name[i:i+3] == "17h" && isHex(name[i+3:len(name)-1]) {
		return name[:i]
	}
	return name
}

// withoutMark cuts the marks of copies, versions and offsets, none of which begins before the byte in front of the index.
func withoutMark(name string, from int) string {
	for _, mark := range [...]string{" [clone", ".llvm.", ".cold", ".isra.", ".constprop.", ".part.", ".lto_priv.", "+0x"} {
		if i := strings.Index(name[from-1:], mark); i >= 0 && from+i > 1 {
			name = name[:from-1+i]
		}
	}
	if i := strings.IndexByte(name, '@'); i > 0 && strings.IndexByte(name, ' ') < 0 { // memcpy@plt
		name = name[:i]
	}
	return name
}

// outerSwift is the function around closures and the pieces that async functions are cut into:
// "closure #1 (Swift.Int) -> () in App.run() -> ()", "(2) suspend resume partial function for App.run()".
func outerSwift(name string) string {
	if strings.IndexByte(name, ' ') < 0 {
		return name
	}
	if _, function, found := strings.Cut(name, "partial function for "); found {
		name = function
	}
	if !strings.HasPrefix(name, "closure #") && !strings.HasPrefix(name, "implicit closure #") {
		return name
	}
	depth, from := 0, 0
	for i := range len(name) {
		switch name[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ' ':
			if depth == 0 && strings.HasPrefix(name[i:], " in ") {
				from = i + len(" in ")
			}
		}
	}
	return name[from:]
}

// objectiveC finds the method in names like "-[Cart add:]" and "__12-[Cart add:]_block_invoke_2".
func objectiveC(name string) (string, bool) {
	i := strings.IndexByte(name, '[')
	if i < 1 || name[i-1] != '-' && name[i-1] != '+' || strings.TrimLeft(name[:i-1], "_0123456789") != "" {
		return "", false
	}
	return name[i-1 : closing(name, i)], true
}

// nativeWriter appends a demangled name piece by piece.
type nativeWriter struct {
	b     []byte
	start int // of the name in b
	done  bool
}

// special handles what begins at i and gives the index behind it.
func (w *nativeWriter) special(name string, i int) int {
	written := w.b[w.start:]
	if bytes.HasSuffix(written, []byte("operator")) {
		return w.operator(name, i)
	}
	isFirst := len(written) == 0 || bytes.HasSuffix(written, []byte(":")) || bytes.HasSuffix(written, []byte("."))
	end := i + 1
	switch name[i] {
	case '(':
		return w.parenthesis(name, i, isFirst)
	case '<':
		end = closing(name, i)
		w.angle(name[i:end], isFirst)
		return end
	case '{':
		end = closing(name, i)
		w.brace(name[i:end])
		return end
	case '[': // std::string[abi:cxx11]
		if !isFirst {
			return closing(name, i)
		}
	case '`': // MSVC: `anonymous namespace'
		if quote := strings.IndexByte(name[i:], '\''); quote > 0 {
			w.b = append(w.b, '(')
			w.b = append(w.b, name[i+1:i+quote]...)
			w.b = append(w.b, ')')
			return i + quote + 1
		}
	case ' ': // what came before was the result or a modifier
		w.b = w.b[:w.start]
		return end
	case '$': // Shop::run()::$_0::operator(): the number of a lambda
		if strings.HasPrefix(name[end:], "_") {
			w.b = append(w.b, "$_"...)
			return end + 1 + digitsAt(name, end+1)
		}
	}
	w.b = append(w.b, name[i])
	return end
}

// operator copies the rest of the name of an operator: "operator()", "operator<<", "operator new".
func (w *nativeWriter) operator(name string, i int) int {
	if strings.HasPrefix(name[i:], "()") {
		w.b = append(w.b, "()"...)
		return i + 2
	}
	end := strings.IndexByte(name[i:], '(')
	switch {
	case end < 0:
		end = len(name)
	case end == 0: // arguments: the name only ends with the word
		return w.parenthesis(name, i, false)
	default:
		end += i
	}
	w.b = append(w.b, name[i:end]...)
	return end
}

// parenthesis leaves arguments out and ends the name behind them, unless it goes on with "::". At the start of a part
// it is a scope: "(anonymous namespace)", Swift's "(add in _0A1B2C)" and "(extension in App)".
func (w *nativeWriter) parenthesis(name string, i int, isFirst bool) int {
	end := closing(name, i)
	if !isFirst {
		w.done = !strings.HasPrefix(name[end:], "::") && !strings.HasPrefix(name[end:], ".")
		return end
	}
	inner := strings.TrimSuffix(name[i+1:end], ")")
	scope, _, isSwift := strings.Cut(inner, " in ")
	switch {
	case !isSwift:
		w.b = append(w.b, name[i:end]...)
	case scope != "extension":
		w.b = append(w.b, scope...)
	case strings.HasPrefix(name[end:], ":"):
		return end + 1
	}
	return end
}

// angle leaves type arguments out, but keeps what names a scope: Rust's "<T as Trait>" and "<impl Trait for T>".
func (w *nativeWriter) angle(group string, isFirst bool) {
	switch {
	case strings.HasPrefix(group, "<lambda"): // MSVC: <lambda_5db80dab47756d3e72c2dcd38b80b1dd>
		w.b = append(w.b, "<lambda>"...)
	case isFirst && (len(w.b) == w.start || strings.HasPrefix(group, "<impl ")):
		w.b = append(w.b, group...)
	default: // Vec<T>::push, and with a turbofish Vec::<T>::push
		w.b = append(w.b[:w.start], bytes.TrimSuffix(w.b[w.start:], []byte("::"))...)
	}
}

// brace gives closures one name, and closures within closures count as one.
func (w *nativeWriter) brace(group string) {
	const closure = "{closure}"
	if !strings.Contains(group, "closure") {
		name, _, _ := strings.Cut(group, "(") // {lambda(int)#1}
		name, _, _ = strings.Cut(name, "#")
		w.b = append(w.b, strings.TrimSuffix(name, "}")...)
		w.b = append(w.b, '}')
		return
	}
	if written := w.b[w.start:]; bytes.HasSuffix(written, []byte(closure+"::")) {
		w.b = w.b[:len(w.b)-len("::")]
		return
	}
	w.b = append(w.b, closure...)
}

// closing returns the index behind the bracket that closes the one at open, or the end of the text.
func closing(s string, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '(', '<', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case '>':
			if i == 0 || s[i-1] != '-' { // the arrow of a function type
				depth--
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(s)
}
