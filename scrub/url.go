package scrub

import "strings"

// url hides the user and password of the URL whose :// is at i, and the secret path of a chat's incoming hook.
func (m *masker) url(i int) int {
	host := i + len("://")
	if i == 0 || !isAlnum(m.s[i-1]) {
		return host
	}
	end, at, colon := host, -1, -1
	for ; end < len(m.s) && !endsAuthority(m.s[end]); end++ {
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
	for _, hook := range hooks {
		if hasPrefixAt(m.s, host, hook) {
			return m.hide(host+len(hook), run(m.s, host+len(hook), pathSet))
		}
	}
	return host
}

// hooks are addresses whose path is all that it takes to write to a channel.
var hooks = []string{
	"hooks.slack.com/services/", "hooks.slack.com/workflows/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	"outlook.office.com/webhook/",
}

var pathSet = bytesOf(alnumBytes + "-_/@")

func endsAuthority(c byte) bool {
	return c <= ' ' || c == '/' || c == '?' || c == '#' || c == '\\' || c == '<' || c == '>' || isQuote(c)
}

// isPort is true for digits, and for what ends an IPv6 address.
func isPort(s string) bool {
	return strings.Trim(s, digitBytes+"),.;") == "" || strings.HasSuffix(s, "]")
}

// lateAt finds the last @ before the next blank or quote; -1 when there is none.
func (m *masker) lateAt(i int) int {
	at := -1
	for limit := min(i+maxProbe, len(m.s)); i < limit && m.s[i] > ' ' && !isQuote(m.s[i]); i++ {
		if m.s[i] == '@' {
			at = i
		}
	}
	return at
}

// dsn hides what stands before the @ at i in a connection string: user:password@tcp(host), scott/tiger@//host.
func (m *masker) dsn(i int) int {
	start := i
	for start > m.done && i-start < maxProbe && m.s[start-1] > ' ' && !isQuote(m.s[start-1]) {
		start--
	}
	after := i + 1
	known := hasPrefixAt(m.s, after, "tcp(") || hasPrefixAt(m.s, after, "unix(") || hasPrefixAt(m.s, after, "//")
	if known && strings.ContainsAny(m.s[start:i], ":/") || hasPrefixAt(m.s, start, "jdbc:oracle:") {
		return m.hide(start, i)
	}
	return after
}

// tag hides the content of an XML element whose opening tag ends at i.
func (m *masker) tag(i int) int {
	if i+1 == len(m.s) {
		return i + 1
	}
	open := i
	for open > m.done && i-open < maxName && m.s[open] != '<' {
		open--
	}
	if m.s[open] != '<' || i == open {
		return i + 1
	}
	name := m.s[open+1 : i]
	if blank := strings.IndexAny(name, " \t\n"); blank >= 0 {
		name = name[:blank]
	}
	if name == "" || letters[name[0]] == 0 || m.rules.verdict(name) == public {
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
