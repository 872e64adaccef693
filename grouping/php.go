package grouping

import "strings"

// appendPHP appends a function's name without PHP's additions to the names of anonymous classes and closures: the file, the line
// and an address.
func appendPHP(buf []byte, name string) []byte {
	name = strings.TrimPrefix(name, `\`)
	const class, closure = "@anonymous", "{closure"
	for {
		at, brace := strings.Index(name, class), strings.Index(name, closure)
		switch {
		case at >= 0 && (brace < 0 || at < brace):
			buf = append(buf, name[:at+len(class)]...)
			i := strings.Index(name[at:], "::")
			if i < 0 {
				return buf
			}
			name = name[at+i:]
		case brace >= 0:
			buf = append(buf, name[:brace]...)
			buf = append(buf, "{closure}"...)
			name = name[findClosing(name, brace):]
		default:
			return appendWithoutHashes(buf, name)
		}
	}
}

// appendWithoutHashes appends a name without the hashes of template compilers: __TwigTemplate_1f0c.., and Smarty's
// content_5f3e1c2a3b4c57_12345678.
func appendWithoutHashes(buf []byte, name string) []byte {
	const shortest, shortestTime = 16, 13 // digits of a hash; of a time before "_" and a number
	written := 0                          // how much of the name was handled
	for i := 0; i < len(name); i++ {
		start := i
		for i < len(name) && isHexDigit(name[i]) {
			i++
		}
		end := i
		if end-start >= shortestTime && end < len(name) && name[end] == '_' && digitsAt(name, end+1) > 0 {
			end += 1 + digitsAt(name, end+1)
		} else if end-start < shortest {
			continue
		}
		buf = append(buf, name[written:start]...)
		written, i = end, end-1
	}
	return append(buf, name[written:]...)
}
