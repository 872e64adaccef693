package grouping

import "strings"

// godotRoot begins the paths of Godot's scripts: res://enemies/spawn.gd.
const godotRoot = "res://"

// hasStableFolders reports whether the folders of a path are the same on every machine, because it leads from the folder of the
// application or a library to the file. Ruby before 3.4 names no class, and Rails has many files of one name:
// users_controller.rb, admin/users_controller.rb.
func hasStableFolders(path string, lang language) bool {
	if lang != ruby || path == "" {
		return strings.HasPrefix(path, godotRoot)
	}
	return !isAbsolute(path) && path[0] != '<' && strings.IndexByte(path, ':') < 0 // <internal:/usr/lib/kernel.rb>, file:///srv/a.rb
}

// appendPath appends a path in lower case, without the folders and parts of names that a build or deployment adds.
func appendPath(buf []byte, path string, lang language) []byte {
	path = clipTo(strings.TrimPrefix(path, godotRoot), maxNameRead)
	start, name, isPlain := len(buf), 0, true
	buf = append(buf, path...)
	lowerInPlace(buf[start:])
	for i := range len(path) {
		switch c := path[i]; {
		case c == '/':
			isPlain = isPlain && i > name && path[i-1] != '.'
			name = i + 1
		case isDigit(rune(c)) || c == '\\':
			isPlain = false
		}
	}
	switch {
	case isUnknownName(path[name:]):
		return buf[:start]
	case isPlain: // most paths
		return buf
	}
	return appendCleanPath(buf[:start], path, lang)
}

// appendCleanPath is appendPath for a path with numbers, steps up or Windows' separators.
func appendCleanPath(buf []byte, path string, lang language) []byte {
	start, name, hasDigit := len(buf), 0, false
	for i := range len(path) {
		switch c := path[i]; {
		case isDigit(rune(c)):
			hasDigit = true
		case c == '/' || c == '\\':
			buf = appendFolder(buf, path[name:i], lang, hasDigit)
			name, hasDigit = i+1, false
		}
	}
	if isUnknownName(path[name:]) {
		return buf[:start]
	}
	buf = appendClean(buf, path[name:], lang)
	lowerInPlace(buf[start:])
	return buf
}

// appendFolder appends the name of a folder, unless it is a step up or none, a version, or the hash or time of a release.
func appendFolder(buf []byte, name string, lang language, hasDigit bool) []byte {
	if hasDigit {
		start, number := len(buf), strings.TrimPrefix(name, "v")
		isVersion := strings.Trim(number, ".0123456789") == "" && (number == name || strings.IndexByte(number, '.') > 0)
		shape := shapeOf(name)
		if isVersion || shape.isHex && len(name) >= shortestNameHash {
			return buf
		}
		if buf = appendClean(buf, name, lang); len(buf) == start {
			return buf
		}
		return append(buf, '/')
	}
	if name == "" || name == "." || name == ".." {
		return buf
	}
	return append(append(buf, name...), '/')
}
