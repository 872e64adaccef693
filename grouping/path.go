package grouping

import "strings"

// godotRoot begins the paths of Godot's scripts: res://enemies/spawn.gd.
const godotRoot = "res://"

// cutToApp returns the path of a file inside the application or a library, and whether there is one. Ruby before 3.4 names no
// class, and Rails has many files of one name: users_controller.rb, admin/users_controller.rb.
func cutToApp(path string, lang language) (inside string, found bool) {
	if lang != ruby || path == "" || isAbsolute(path) ||
		path[0] == '<' || strings.IndexByte(path, ':') >= 0 { // <internal:/usr/lib/kernel.rb>, (eval at /srv/a.rb:12), C:a.rb
		return strings.CutPrefix(path, godotRoot)
	}
	return path, true
}

// appendPath appends a path in lower case, without the folders and parts of names that a build or deployment adds.
func appendPath(buf []byte, path string, lang language) []byte {
	path = clipTo(path, maxNameRead)
	start, from, hasDigit := len(buf), 0, false
	for i := range len(path) {
		switch c := path[i]; {
		case isDigit(rune(c)):
			hasDigit = true
		case c == '/' || c == '\\':
			buf = appendFolder(buf, path[from:i], lang, hasDigit)
			from, hasDigit = i+1, false
		}
	}
	if isUnknownName(path[from:]) {
		return buf[:start]
	}
	buf = appendClean(buf, path[from:], lang)
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
