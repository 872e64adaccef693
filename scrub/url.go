package scrub

import "strings"

// tryURL hides the user and password of the URL whose :// is at i, and the secret path of a chat's incoming webhook.
func (m *masker) tryURL(i int) int {
	host := i + len("://")
	if i == 0 || !isAlnum(m.text[i-1]) {
		return host
	}
	end, at, colon := host, -1, -1
	for ; end < len(m.text) && !authorityEnds[m.text[end]]; end++ {
		switch m.text[end] {
		case '@':
			at = end
		case ':':
			colon = end
		}
	}
	if at < 0 && colon >= 0 && !isPort(m.text[colon+1:end]) { // a password with a / in it
		at = m.findLateAt(end)
	}
	if at > host {
		return m.hide(host, at)
	}
	if end+1 >= len(m.text) || m.text[end] != '/' || !hookLetters[m.text[end+1]] {
		return host
	}
	for i := range incomingHooks {
		hook := &incomingHooks[i]
		if hasPrefixAt(m.text, end, hook.path) && strings.HasSuffix(m.text[host:end], hook.host) {
			from := end + len(hook.path)
			return m.hide(from, skipRun(m.text, from, pathSet))
		}
	}
	return host
}

// incomingHooks are addresses whose path is enough to write to a channel.
var incomingHooks = [...]struct{ host, path string }{
	{"hooks.slack.com", "/services/"}, {"hooks.slack.com", "/workflows/"}, {"hooks.slack.com", "/triggers/"},
	{"discord.com", "/api/webhooks/"}, {"discord.com", "/api/v9/webhooks/"},
	{"discord.com", "/api/v10/webhooks/"}, {"discordapp.com", "/api/webhooks/"},
	{"outlook.office.com", "/webhook/"}, {".webhook.office.com", "/webhookb2/"},
	{"hooks.zapier.com", "/hooks/catch/"}, {".tines.com", "/webhook/"},
}

// hookLetters are the first letters of those paths.
var hookLetters = func() *[256]bool {
	first := ""
	for _, hook := range incomingHooks {
		first += hook.path[1:2]
	}
	return newByteSet(first)
}()

var pathSet = newByteSet(alnumBytes + "-_/@")

// authorityEnds are the bytes after the host of a URL.
var authorityEnds = func() *[256]bool {
	set := newByteSet("/?#\\<>\"'`")
	for c := range byte(' ' + 1) {
		set[c] = true
	}
	return set
}()

// isPort reports whether a text is a port, or the end of an IPv6 address.
func isPort(s string) bool {
	return strings.Trim(s, digitBytes+"),.;") == "" || strings.HasSuffix(s, "]")
}

// findLateAt finds the last @ before the next blank or quote; -1 when there is none.
func (m *masker) findLateAt(i int) int {
	at := -1
	limit := min(i+maxProbe, len(m.text))
	for i = max(i, m.noAtBefore); i < limit && m.text[i] > ' ' && !isQuote(m.text[i]); i++ {
		if m.text[i] == '@' {
			at = i
		}
	}
	if at < 0 {
		m.noAtBefore = i
	}
	return at
}

// wordBeforeAt is the position of the last @ that tryDSN looked at, and what precedes it in its word, so that a text with many @
// is read once.
type wordBeforeAt struct {
	at      int
	start   int  // of the word, after a blank or a quote
	divided bool // a : or a / is between start and at
}

// tryDSN hides the user and password before the @ at i in a connection string: user:password@tcp(host), scott/tiger@//host.
func (m *masker) tryDSN(i int) int {
	w := wordBeforeAt{at: i, start: i}
	for w.start > m.copied && w.start > m.lastAt.at && m.text[w.start-1] > ' ' && !isQuote(m.text[w.start-1]) {
		w.start--
		w.divided = w.divided || m.text[w.start] == ':' || m.text[w.start] == '/'
	}
	if w.start == m.lastAt.at && w.start > m.copied { // the same word goes on
		w.start, w.divided = max(m.lastAt.start, m.copied), w.divided || m.lastAt.divided
	}
	m.lastAt = w
	after := i + 1
	hasHost := hasPrefixAt(m.text, after, "tcp(") || hasPrefixAt(m.text, after, "unix(") || hasPrefixAt(m.text, after, "//")
	if hasHost && w.divided || hasPrefixAt(m.text, w.start, "jdbc:oracle:") {
		return m.hide(w.start, i)
	}
	return after
}
