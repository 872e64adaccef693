package scrub

import "strings"

// option hides the value of --password value, and the password of --user name:password.
func (m *masker) option(i int) int {
	end := runWithin(m.s, i+2, maxName, base64URLSet)
	if !m.boundary(i) || end >= len(m.s) || m.s[end] != ' ' && m.s[end] != '=' && m.s[end] != '\\' {
		return i + 2
	}
	name := m.s[i+2 : end]
	if name == "user" || name == "proxy-user" {
		return m.userPassword(end + 1)
	}
	if m.s[end] != ' ' || m.rules.verdict(name) == public {
		return i + 2
	}
	from := skipBlanks(m.s, end)
	if from < len(m.s) && m.s[from] == '-' {
		return from
	}
	return m.value(pair{verdict: secret}, from)
}

// userPassword hides what follows the colon of name:password, of which either may be in quotes, or both together. It
// begins at i, perhaps on the next line. Numbers are a user and a group.
func (m *masker) userPassword(i int) int {
	for i < len(m.s) && (isBlank(m.s[i]) || m.s[i] == '\\' || m.s[i] == '\n') {
		i++
	}
	if i == len(m.s) || m.s[i] == '-' {
		return i
	}
	closing := 0 // the quote around both
	colon := i
	if isQuote(m.s[i]) {
		end := m.closeQuote(i+1, m.s[i:i+1])
		if colon = strings.IndexByte(m.s[i:end], ':') + i; colon < i {
			colon = end + 1 // "name":"password"
		} else {
			closing = end
		}
	} else {
		colon = runWithin(m.s, i, maxName, userSet)
	}
	from := colon + 1
	if from >= len(m.s) || m.s[colon] != ':' {
		return i
	}
	end := closing
	if closing == 0 && isQuote(m.s[from]) {
		end = m.closeQuote(from+1, m.s[from:from+1])
		from++
	} else if closing == 0 {
		end = m.bareEnd(from, len(m.s), false)
	}
	if from >= end && closing > 0 { // "key:"
		from, end = i+1, colon
	}
	if text := m.s[from:end]; isVoid(text) || run(text, 0, digitSet) == len(text) || strings.HasPrefix(text, "//") {
		return i
	}
	return m.hide(from, end)
}

var userSet = bytesOf(alnumBytes + "_-.$@{}")

// passwordOption is a short option of a command that has a password.
type passwordOption struct {
	command string
	option  byte
}

var passwordOptions = [...]passwordOption{
	{"mysql", 'p'}, {"mariadb", 'p'}, {"sshpass", 'p'}, {"docker login", 'p'}, {"podman login", 'p'}, {"az login", 'p'}, {"mongo", 'p'},
	{"redis-cli", 'a'}, {"ldapsearch", 'w'}, {"ldapadd", 'w'}, {"ldapmodify", 'w'}, {"PGPASSWORD", 'W'},
}

// shortOption hides the value of curl -u name:password, of mysql -ppassword and the like.
func (m *masker) shortOption(i int) int {
	if i+2 >= len(m.s) || i > 0 && !isBlank(m.s[i-1]) && !isQuote(m.s[i-1]) {
		return i + 1
	}
	option := m.s[i+1]
	if option == 'u' && (isBlank(m.s[i+2]) || isQuote(m.s[i+2])) {
		return m.userPassword(i + 2)
	}
	for n, known := range passwordOptions {
		if known.option != option || !m.runs(n) {
			continue
		}
		from := skipBlanks(m.s, i+2)
		if from > i+2 && (known.command == "mysql" || known.command == "mariadb") || from < len(m.s) && m.s[from] == '-' {
			return i + 1 // mysql asks for the password
		}
		return m.value(pair{verdict: secret}, from)
	}
	return i + 1
}

// runs reports whether the text names the command of an option. Each command is looked for once.
func (m *masker) runs(n int) bool {
	if m.commands == nil {
		m.commands = make([]bool, len(passwordOptions))
		for k, known := range passwordOptions {
			m.commands[k] = strings.Contains(m.s, known.command)
		}
	}
	return m.commands[n]
}

// crypt hides the hash of a password, as in $6$salt$hash, whose first $ is at i.
func (m *masker) crypt(i int) int {
	kind := runWithin(m.s, i+1, maxCrypt, cryptKindSet)
	if kind == i+1 || kind >= len(m.s) || m.s[kind] != '$' {
		return m.provider(i)
	}
	end := run(m.s, kind+1, cryptSet)
	if text := m.s[kind+1 : end]; len(text) < minHint || !hasDigit(text) || !hasUpper(text) {
		return m.provider(i)
	}
	return m.hide(kind+1, end)
}

const maxCrypt = 16 // bytes of the name of a hash

var (
	cryptKindSet = bytesOf(lowerBytes + digitBytes + "-")
	cryptSet     = bytesOf(alnumBytes + "./$=,+")
)
