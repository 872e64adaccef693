package grouping

import (
	"bytes"
	"strings"
)

// appendNative appends the name of a function of C, C++, Objective-C, Swift or Rust without the parts that differ between builds
// (hashes, numbers of closures and of copies), arguments, type arguments and result.
func appendNative(buf []byte, name string) []byte {
	name = strings.TrimSpace(unwrapSwiftClosure(cutNativeSuffix(name)))
	if strings.HasPrefix(name, "___lldb_unnamed_symbol") {
		return buf
	}
	if method, found := findObjectiveCMethod(name); found {
		return append(buf, method...)
	}
	if block, _, found := strings.Cut(name, "_block_invoke"); found {
		name = strings.TrimLeft(block, "_")
	}
	w := nativeWriter{buf: buf, start: len(buf)}
	for i := 0; i < len(name) && !w.isDone; {
		plain := i
		for i < len(name) && !isNativeSpecial(name[i]) {
			i++
		}
		w.buf = append(w.buf, name[plain:i]...)
		if i < len(name) {
			i = w.writeSpecial(name, i)
		}
	}
	return w.buf
}

// isNativeSpecial reports whether a byte may begin a part that does not belong to the name.
func isNativeSpecial(c byte) bool {
	switch c {
	case '(', '<', '{', '[', '`', ' ', '$', '?':
		return true
	}
	return false
}

// cutNativeSuffix cuts the suffixes of compilers and linkers off a name.
func cutNativeSuffix(name string) string {
	for i := 1; i < len(name); i++ {
		if c := name[i]; c == '.' || c == '[' || c == '+' || c == '@' {
			name = cutNativeMark(name, i)
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

// cutNativeMark cuts the marks of copies, versions and offsets. The first of them begins at the index or one byte before it.
func cutNativeMark(name string, from int) string {
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

// unwrapSwiftClosure returns the function around closures and around the pieces of async functions: "closure #1 (Swift.Int) -> ()
// in App.run() -> ()", "(2) suspend resume partial function for App.run()".
func unwrapSwiftClosure(name string) string {
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

// findObjectiveCMethod returns the method in names like "-[Cart add:]" and "__12-[Cart add:]_block_invoke_2".
func findObjectiveCMethod(name string) (string, bool) {
	i := strings.IndexByte(name, '[')
	if i < 1 || name[i-1] != '-' && name[i-1] != '+' || strings.TrimLeft(name[:i-1], "_0123456789") != "" {
		return "", false
	}
	return name[i-1 : findClosing(name, i)], true
}

// nativeWriter appends a demangled name piece by piece.
type nativeWriter struct {
	buf    []byte
	start  int // of the name in b
	isDone bool
}

// writeSpecial handles the special part at i, and returns the index after it.
func (w *nativeWriter) writeSpecial(name string, i int) int {
	written := w.buf[w.start:]
	if bytes.HasSuffix(written, []byte("operator")) {
		return w.writeOperator(name, i)
	}
	isFirst := len(written) == 0 || bytes.HasSuffix(written, []byte(":")) || bytes.HasSuffix(written, []byte("."))
	end := i + 1
	switch name[i] {
	case '(':
		return w.writeParenthesis(name, i, isFirst)
	case '<':
		end = findClosing(name, i)
		w.writeAngle(name[i:end], isFirst)
		return end
	case '{':
		end = findClosing(name, i)
		w.writeBrace(name[i:end])
		return end
	case '[': // std::string[abi:cxx11]
		if !isFirst {
			return findClosing(name, i)
		}
	case '`': // MSVC: `anonymous namespace'
		if quote := strings.IndexByte(name[i:], '\''); quote > 0 {
			w.buf = append(w.buf, '(')
			w.buf = append(w.buf, name[i+1:i+quote]...)
			w.buf = append(w.buf, ')')
			return i + quote + 1
		}
	case '?': // MSVC: ?A0xc3a0617d, an anonymous namespace with the hash of its file
		const mark, hash = "?A0x", 8
		if after := i + len(mark) + hash; isFirst && strings.HasPrefix(name[i:], mark) && after <= len(name) && isHex(name[after-hash:after]) {
			w.buf = append(w.buf, "(anonymous namespace)"...)
			return after
		}
	case ' ': // the text before was the result or a modifier
		w.buf = w.buf[:w.start]
		return end
	case '$': // Shop::run()::$_0::operator(): the number of a lambda
		if strings.HasPrefix(name[end:], "_") {
			w.buf = append(w.buf, "$_"...)
			return end + 1 + digitsAt(name, end+1)
		}
	}
	w.buf = append(w.buf, name[i])
	return end
}

// writeOperator copies the rest of the name of an operator: "operator()", "operator<<", "operator new".
func (w *nativeWriter) writeOperator(name string, i int) int {
	if strings.HasPrefix(name[i:], "()") {
		w.buf = append(w.buf, "()"...)
		return i + 2
	}
	end := strings.IndexByte(name[i:], '(')
	switch {
	case end < 0:
		end = len(name)
	case end == 0: // arguments: the name ends only with the word
		return w.writeParenthesis(name, i, false)
	default:
		end += i
	}
	w.buf = append(w.buf, name[i:end]...)
	return end
}

// writeParenthesis leaves arguments out and ends the name after them, unless it continues with "::". At the start of a part,
// parentheses are a scope: "(anonymous namespace)", Swift's "(add in _0A1B2C)" and "(extension in App)".
func (w *nativeWriter) writeParenthesis(name string, i int, isFirst bool) int {
	end := findClosing(name, i)
	if !isFirst {
		w.isDone = !strings.HasPrefix(name[end:], "::") && !strings.HasPrefix(name[end:], ".")
		return end
	}
	inner := strings.TrimSuffix(name[i+1:end], ")")
	scope, _, isSwift := strings.Cut(inner, " in ")
	switch {
	case !isSwift:
		w.buf = append(w.buf, name[i:end]...)
	case scope != "extension":
		w.buf = append(w.buf, scope...)
	case strings.HasPrefix(name[end:], ":"):
		return end + 1
	}
	return end
}

// writeAngle leaves type arguments out, but keeps a scope: Rust's "<T as Trait>" and "<impl Trait for T>".
func (w *nativeWriter) writeAngle(group string, isFirst bool) {
	switch {
	case strings.HasPrefix(group, "<lambda"): // MSVC: <lambda_5db80dab47756d3e72c2dcd38b80b1dd>
		w.buf = append(w.buf, "<lambda>"...)
	case isFirst && (len(w.buf) == w.start || strings.HasPrefix(group, "<impl ")):
		w.buf = append(w.buf, group...)
	default: // Vec<T>::push, and with a turbofish Vec::<T>::push
		w.buf = append(w.buf[:w.start], bytes.TrimSuffix(w.buf[w.start:], []byte("::"))...)
	}
}

// writeBrace writes the same for every closure, and nested closures as one.
func (w *nativeWriter) writeBrace(group string) {
	const closure = "{closure}"
	if !strings.Contains(group, "closure") {
		name, _, _ := strings.Cut(group, "(") // {lambda(int)#1}
		name, _, _ = strings.Cut(name, "#")
		w.buf = append(w.buf, strings.TrimSuffix(name, "}")...)
		w.buf = append(w.buf, '}')
		return
	}
	if written := w.buf[w.start:]; bytes.HasSuffix(written, []byte(closure+"::")) {
		w.buf = w.buf[:len(w.buf)-len("::")]
		return
	}
	w.buf = append(w.buf, closure...)
}

// findClosing returns the index after the bracket that closes the one at open, or the end of the text.
func findClosing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '<', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case '>':
			if i == 0 || text[i-1] != '-' { // the arrow of a function type
				depth--
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}
