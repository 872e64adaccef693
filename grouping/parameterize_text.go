package grouping

import (
	"bytes"
	"strings"
)

const (
	longestQuote = 512 // a longer text does not count as quoted
	proseSpaces  = 4   // a quoted text with this many spaces is a sentence, and is read like the text around it
)

// replaceQuote handles the quotation mark at i, and returns the index after the quoted text; i when it quotes nothing.
func (p *parameterizer) replaceQuote(i int) int {
	if i > 0 && isWord(p.in[i-1]) && !p.isLiteralPrefix(i-1) {
		return i // an apostrophe
	}
	end := p.closingQuote(i)
	if end < 0 {
		return i
	}
	inner := p.in[i+1 : end]
	if strings.Count(inner, " ") >= proseSpaces || p.isQuotedKey(i, end) {
		p.out = append(p.out, p.in[i])
		p.tokenEnd = i + 1
		return i + 1
	}
	if i > 0 && p.isLiteralPrefix(i-1) {
		p.out = p.out[:len(p.out)-1]
	}
	p.writePlaceholder(textPlaceholder)
	p.tokenEnd = max(p.tokenEnd, end+1)
	return end + 1
}

// closingQuote returns the index of the mark that closes the quotation at i, or -1.
func (p *parameterizer) closingQuote(i int) int {
	mark := p.in[i]
	if p.unclosed[mark] {
		return -1
	}
	for j := i + 1; j < len(p.in); j++ {
		if j-i > longestQuote {
			return -1
		}
		switch {
		case p.in[j] == '\\':
			j++
		case p.in[j] == mark && (j+1 == len(p.in) || !isWord(p.in[j+1])):
			return j
		}
	}
	p.unclosed[mark] = true
	return -1
}

// isLiteralPrefix reports whether the letter at i marks a Python literal: b'..', u'..'.
func (p *parameterizer) isLiteralPrefix(i int) bool {
	c := p.in[i]
	return (c == 'b' || c == 'u') && (i == 0 || !isWord(p.in[i-1])) && len(p.out) > 0 && p.out[len(p.out)-1] == c
}

// isQuotedKey reports whether the quoted text in[i:end+1] names a member of a JSON object or of a Python dictionary.
func (p *parameterizer) isQuotedKey(i, end int) bool {
	before := strings.TrimRight(p.in[:i], " ")
	after := strings.TrimLeft(p.in[end+1:], " ")
	return strings.HasPrefix(after, ":") && (strings.HasSuffix(before, "{") || strings.HasSuffix(before, ","))
}

// schemeStart returns the index of the URL in a token, and whether there is one.
func schemeStart(token string) (int, bool) {
	end := strings.Index(token, "://")
	start := end
	for start > 0 && (isLetter(token[start-1]) || isDigit(rune(token[start-1])) || strings.IndexByte("+-.", token[start-1]) >= 0) {
		start--
	}
	return start, start < end
}

// replaceURL handles a URL: its host and path stay, except ids in them; user, query and fragment vary and are removed.
func (p *parameterizer) replaceURL(i int) int {
	end := i
	for end < len(p.in) && p.in[end] > ' ' && strings.IndexByte("\"'`<>{}|\\^", p.in[end]) < 0 {
		end++
	}
	for end > i && strings.IndexByte(".,;:!?)]*", p.in[end-1]) >= 0 {
		end--
	}
	p.tokenEnd = max(p.tokenEnd, end)
	text := p.in[i:end]
	if strings.HasPrefix(text, "file:") {
		p.writePlaceholder(pathPlaceholder)
		return end
	}
	host := strings.Index(text, "://") + len("://")
	p.replaceValues(i, i+host, false)
	stop := len(text)
	if query := strings.IndexAny(text, "?#"); query >= 0 {
		stop = max(query, host)
	}
	authority := stop
	if slash := strings.IndexByte(text[host:stop], '/'); slash >= 0 {
		authority = host + slash
	}
	if at := strings.LastIndexByte(text[host:authority], '@'); at >= 0 {
		host += at + 1
	}
	p.replaceValues(i+host, i+stop, false)
	return end
}

// rootFolders are the folders at the root of file systems: a path below one is a file, other paths may be routes of an API.
var rootFolders = map[string]bool{
	"tmp": true, "var": true, "home": true, "usr": true, "etc": true, "opt": true, "srv": true, "root": true, "mnt": true,
	"dev": true, "proc": true, "sys": true, "run": true, "lib": true, "lib64": true, "bin": true, "sbin": true, "nix": true,
	"Users": true, "private": true, "Library": true, "System": true, "Applications": true, "Volumes": true, "sdcard": true,
	"workspace": true, "builds": true,
}

// followsMethod reports whether the output so far ends with the method of an HTTP request: a route comes next.
func (p *parameterizer) followsMethod() bool {
	for _, method := range [...]string{"GET ", "POST ", "PUT ", "PATCH ", "DELETE ", "HEAD ", "OPTIONS "} {
		if bytes.HasSuffix(p.out, []byte(method)) {
			return true
		}
	}
	return false
}

// isPath reports whether a token is the path of a file: below a known root, relative to a folder, of Windows, or with the
// extension of a file at its end.
func isPath(token string) bool {
	if len(token) < 3 {
		return false
	}
	switch token[0] {
	case '.', '~':
		return strings.HasPrefix(token, "./") || strings.HasPrefix(token, "../") || strings.HasPrefix(token, "~/") ||
			strings.HasPrefix(token, `.\`) || strings.HasPrefix(token, `..\`)
	case '/':
		first, rest, isDeep := strings.Cut(token[1:], "/")
		return isDeep && rest != "" && (rootFolders[first] || hasExtension(rest))
	case '\\':
		return token[1] == '\\' && isWord(token[2])
	}
	return isLetter(token[0]) && token[1] == ':' && (token[2] == '\\' || token[2] == '/' && !strings.HasPrefix(token[2:], "//"))
}

// hasExtension reports whether a path ends like a file, perhaps with a line number after it.
func hasExtension(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	dot := strings.LastIndexByte(name, '.')
	if dot < 1 || len(name)-dot > len(".sqlite3") || dot+1 == len(name) {
		return false
	}
	for i := dot + 1; i < len(name); i++ {
		if !isLetter(name[i]) && !isDigit(rune(name[i])) {
			return false
		}
	}
	return isLetter(name[dot+1])
}

// pathEnd returns the index after a path that starts at i: Windows paths may contain spaces.
func (p *parameterizer) pathEnd(i, end int) int {
	for strings.IndexByte(p.in[i:end], '\\') >= 0 && end < len(p.in) && p.in[end] == ' ' {
		next := end + 1 + tokenLength(p.in[end+1:])
		if strings.IndexByte(p.in[end+1:next], '\\') < 1 {
			break
		}
		end = next
	}
	p.tokenEnd = max(p.tokenEnd, end)
	return end
}
