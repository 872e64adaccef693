package scrub

import "strings"

// url hides the user and password of the URL whose :// is at i, and the secret path of a chat's incoming hook.
func (m *masker) url(i int) int {
	host := i + len("://")
	if i == 0 || !isAlnum(m.s[i-1]) {
		return host
	}
	end, at, colon := host, -1, -1
	for ; end < len(m.s) && !authorityEnds[m.s[end]]; end++ {
		switch m.s[end] {
		case '@':
			at = end
		case ':':
			colon = end
		}
	}
	if at < 0 && colon >= 0 && !isPort(m.s[colon+1:end]) { // a password with a / in it
		at = m.lateAt(end)
	}
	if at > host {
		return m.hide(host, at)
	}
	if end+1 >= len(m.s) || m.s[end] != '/' || !hookLetters[m.s[end+1]] {
		return host
	}
	for i := range hooks {
		hook := &hooks[i]
		if hasPrefixAt(m.s, end, hook.path) && strings.HasSuffix(m.s[host:end], hook.host) {
			from := end + len(hook.path)
			return m.hide(from, run(m.s, from, pathSet))
		}
	}
	return host
}

// hooks are addresses whose path is all that it takes to write to a channel.
var hooks = [...]struct{ host, path string }{
	{"hooks.slack.com", "/services/"}, {"hooks.slack.com", "/workflows/"}, {"hooks.slack.com", "/triggers/"}, {"discord.com", "/api/webhooks/"},
	{"discord.com", "/api/v9/webhooks/"}, {"discord.com", "/api/v10/webhooks/"}, {"discordapp.com", "/api/webhooks/"}, {"outlook.office.com", "/webhook/"}, {".webhook.office.com", "/webhookb2/"},
	{"hooks.zapier.com", "/hooks/catch/"}, {".tines.com", "/webhook/"},
}

// hookLetters are the first letters of those paths.
var hookLetters = func() *[256]bool {
	first := ""
	for _, hook := range hooks {
		first += hook.path[1:2]
	}
	return bytesOf(first)
}()

var pathSet = bytesOf(alnumBytes + "-_/@")

// authorityEnds are the bytes behind the host of a URL.
var authorityEnds = func() *[256]bool {
	set := bytesOf("/?#\\<>\"'`")
	for c := range byte(' ' + 1) {
		set[c] = true
	}
	return set
}()

// isPort is true for digits, and for what ends an IPv6 address.
func isPort(s string) bool {
	return strings.Trim(s, digitBytes+"),.;") == "" || strings.HasSuffix(s, "]")
}

// lateAt finds the last @ before the next blank or quote; -1 when there is none.
func (m *masker) lateAt(i int) int {
	at := -1
	limit := min(i+maxProbe, len(m.s))
	for i = max(i, m.noAt); i < limit && m.s[i] > ' ' && !isQuote(m.s[i]); i++ {
		if m.s[i] == '@' {
			at = i
		}
	}
	if at < 0 {
		m.noAt = i
	}
	return at
}

// lastWord is where the last @ stood that dsn looked at, and what lies before it in its word, so that a text of many @ is
// looked at once.
type lastWord struct {
	at      int
	start   int  // of the word, which a blank or a quote begins
	divided bool // a : or a / stands between start and at
}

// dsn hides what stands before the @ at i in a connection string: user:password@tcp(host), scott/tiger@//host.
func (m *masker) dsn(i int) int {
	w := lastWord{at: i, start: i}
	for w.start > m.done && w.start > m.word.at && m.s[w.start-1] > ' ' && !isQuote(m.s[w.start-1]) {
		w.start--
		w.divided = w.divided || m.s[w.start] == ':' || m.s[w.start] == '/'
	}
	if w.start == m.word.at && w.start > m.done { // the same word goes on
		w.start, w.divided = max(m.word.start, m.done), w.divided || m.word.divided
	}
	m.word = w
	after := i + 1
	known := hasPrefixAt(m.s, after, "tcp(") || hasPrefixAt(m.s, after, "unix(") || hasPrefixAt(m.s, after, "//")
	if known && w.divided || hasPrefixAt(m.s, w.start, "jdbc:oracle:") {
		return m.hide(w.start, i)
	}
	return after
}

// tag hides the content of an XML element whose opening tag ends at i.
func (m *masker) tag(i int) int {
	if i+1 == len(m.s) {
		return i + 1
	}
	from := max(m.done, m.tagEnd, i-maxName)
	m.tagEnd = i + 1
	open := from + strings.LastIndexByte(m.s[from:i], '<')
	if open < from {
		return i + 1
	}
	name := m.s[open+1 : i]
	if blank := strings.IndexAny(name, " \t\n"); blank >= 0 {
		name = name[:blank]
	}
	if name == "" || !isAlnum(name[0]) || m.rules.verdict(name) == public {
		return i + 1
	}
	end, mark := i+1, "<"
	if hasPrefixAt(m.s, end, cdata) {
		mark = "]]>"
	}
	n := strings.Index(m.s[end:min(end+maxContent, len(m.s))], mark)
	if n < 0 || mark == "<" && !hasPrefixAt(m.s, end+n, "</") || strings.TrimSpace(m.s[end:end+n]) == "" {
		return i + 1
	}
	return m.hide(end, end+n)
}

const (
	cdata      = "<![CDATA["
	maxContent = 4 << 10 // bytes of an element
)
