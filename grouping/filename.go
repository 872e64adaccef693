package grouping

import "strings"

// shortestNameHash is the least number of hexadecimal digits in a file's name that count as a hash.
const shortestNameHash = 6

// appendFileName appends the name of a file in lower case, without query, content hash and version. It leaves out the folders,
// unless they say where in the application the file is.
func appendFileName(buf []byte, path string, lang language) []byte {
	if strings.HasPrefix(path, "eval at ") { // V8: eval at add (/app/cart.js:12:3), <anonymous>
		return buf
	}
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	if path != "" && path[0] == '(' && strings.HasPrefix(path, "(eval at ") { // Ruby: (eval at /app/cart.rb:12)
		path = path[len("(eval at "):max(len("(eval at "), strings.LastIndexByte(path, ':'))]
	}
	if hasStableFolders(path, lang) {
		return appendPath(buf, path, lang)
	}
	path = path[strings.LastIndexByte(path, '/')+1:]
	path = path[strings.LastIndexByte(path, '\\')+1:]
	path = clipTo(path, maxNameRead)
	if i := strings.IndexByte(path, '('); i > 0 { // a.php(12) : eval()'d code
		path = path[:i]
	}
	if isUnknownName(path) {
		return buf
	}
	start := len(buf)
	buf = appendClean(buf, path, lang)
	lowerInPlace(buf[start:])
	return buf
}

func lowerInPlace(name []byte) {
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			name[i] = c + 'a' - 'A'
		}
	}
}

// appendClean appends a file's name without the parts that a build or deployment adds: content hashes, UUIDs and versions between
// separators. Files of bundlers and notebooks are full of numbers; elsewhere people choose short numbers (0001_initial.py).
func appendClean(buf []byte, name string, lang language) []byte {
	if !hasDigit(name) {
		return append(buf, name...)
	}
	generated := lang == javaScript || strings.HasPrefix(name, "<")
	start := len(buf)
	for i := 0; i < len(name); {
		if n := uuidLength(name[i:]); n > 0 {
			buf, i = trimSeparator(buf, start), i+n
			continue
		}
		end := i
		for end < len(name) && !isSeparator(name[end]) {
			end++
		}
		part := name[i:end]
		if isBuildPart(part, generated) || isVersionPart(name, i, end) {
			buf = trimSeparator(buf, start)
		} else {
			buf = append(buf, part...)
		}
		if end < len(name) {
			buf = append(buf, name[end])
			end++
		}
		i = end
	}
	return buf
}

func hasDigit(name string) bool {
	for i := range len(name) {
		if isDigit(rune(name[i])) {
			return true
		}
	}
	return false
}

// trimSeparator drops the separator before a part that is left out. The first part of a name has no separator.
func trimSeparator(b []byte, start int) []byte {
	if len(b) > start && isSeparator(b[len(b)-1]) {
		return b[:len(b)-1]
	}
	return b
}

func isSeparator(c byte) bool {
	switch c {
	case '.', '-', '_', '~', '@', '+', '>':
		return true
	}
	return false
}

// isBuildPart reports whether a part of a file's name is a hash or number from a build.
func isBuildPart(part string, generated bool) bool {
	if len(part) < shortestNameHash && !generated {
		return false
	}
	shape := shapeOf(part)
	switch {
	case shape.digits == 0:
		return false
	case shape.letters == 0:
		return true
	case shape.isHex && len(part) >= 8:
		return true
	case !generated:
		return false
	case shape.isHex:
		return len(part) >= shortestNameHash
	}
	return len(part) >= 8 && (shape.changes >= 2 || shape.uppers > 0) // index-B3kd92Xa.js
}

// isVersionPart reports whether name[i:end] is a number in a version like 1.2.3 or v2.0.
func isVersionPart(name string, i, end int) bool {
	number := func(from, to int) bool {
		s := name[from:to]
		if from > 0 && name[from-1] != '.' {
			s = strings.TrimPrefix(s, "v")
		}
		return s != "" && strings.TrimFunc(s, isDigit) == ""
	}
	if !number(i, end) {
		return false
	}
	if end < len(name) && name[end] == '.' {
		next := end + 1
		for next < len(name) && !isSeparator(name[next]) {
			next++
		}
		if number(end+1, next) {
			return true
		}
	}
	if i == 0 || name[i-1] != '.' {
		return false
	}
	before := i - 1
	for before > 0 && !isSeparator(name[before-1]) {
		before--
	}
	return number(before, i-1)
}

// isAbsolute reports whether a path begins at the root of a machine.
func isAbsolute(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) ||
		len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
