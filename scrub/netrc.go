package scrub

import "strings"

// logins reads the entries of a netrc file, in one line or in several: machine host login name password x.
type logins struct {
	keyword  string // its value comes next
	inEntry  bool
	hasLogin bool
	from, to int // the last password
}

// mayHaveLogins reports whether a text may have an entry, such as machine h login a password b.
func mayHaveLogins(s string, v survey) bool {
	const blanks, least = 3, len("machine h login a password b")
	return v.countLane(laneSpaces) >= blanks && len(s) >= least && strings.Contains(s, "login ")
}

// hideLogins hides the passwords of a netrc file in a text.
func hideLogins(s string) string {
	m := masker{text: s}
	var l logins
	for from := skipGap(s, 0); from < len(s); {
		to := from
		for to < len(s) && skipGap(s, to) == to {
			to++
		}
		l.readWord(s, from, to)
		if l.hasLogin && l.to > 0 {
			m.hide(l.from, l.to)
			l.to = 0
		}
		from = skipGap(s, to)
	}
	return string(append(m.output, s[m.copied:]...))
}

func (l *logins) readWord(s string, from, to int) {
	word := s[from:to]
	if l.keyword == "" {
		word = strings.TrimLeft(word, `"'([`)
	}
	switch {
	case l.keyword == "login":
		l.hasLogin = true
	case l.keyword == "password":
		if word = strings.TrimRight(word, `"'),;`); !isVoid(word) {
			l.from, l.to = from, from+len(word)
		}
	case l.keyword != "":
	case word == "machine":
		*l = logins{keyword: word, inEntry: true}
		return
	case word == "default":
		*l = logins{inEntry: true}
		return
	case l.inEntry && (word == "login" || word == "password" || word == "account"):
		l.keyword = word
		return
	default:
		*l = logins{}
	}
	l.keyword = ""
}

// skipGap returns the end of the blanks and line ends at i, which may be written as escapes.
func skipGap(s string, i int) int {
	for i < len(s) {
		switch {
		case isBlank(s[i]) || s[i] == '\n':
			i++
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == 'n' || s[i+1] == 't'):
			i += 2
		default:
			return i
		}
	}
	return i
}
