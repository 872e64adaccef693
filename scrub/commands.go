package scrub

import "strings"

// tryOption hides the value of --password value, and the password of --user name:password.
func (m *masker) tryOption(i int) int {
	end := skipRunWithin(m.text, i+2, maxName, base64URLSet)
	if !m.startsWord(i) || end >= len(m.text) || m.text[end] != ' ' && m.text[end] != '=' && m.text[end] != '\\' {
		return i + 2
	}
	name := m.text[i+2 : end]
	if name == "user" || name == "proxy-user" {
		return m.hideUserPassword(end + 1)
	}
	if m.text[end] != ' ' || m.rules.judgeName(name) == public {
		return i + 2
	}
	from := skipBlanks(m.text, end)
	if from < len(m.text) && m.text[from] == '-' {
		return from
	}
	return m.hideValue(pair{verdict: secret}, from)
}

// hideUserPassword hides the password of name:password. Either part or both together may be in quotes. The pair begins at i,
// perhaps on the next line. Numbers are a user and a group.
func (m *masker) hideUserPassword(i int) int {
	for i < len(m.text) && (isBlank(m.text[i]) || m.text[i] == '\\' || m.text[i] == '\n') {
		i++
	}
	if i == len(m.text) || m.text[i] == '-' {
		return i
	}
	closing := 0 // the quote around both
	var colon int
	if isQuote(m.text[i]) {
		end := m.closeQuote(i+1, m.text[i:i+1])
		if colon = strings.IndexByte(m.text[i:end], ':') + i; colon < i {
			colon = end + 1 // "name":"password"
		} else {
			closing = end
		}
	} else {
		colon = skipRunWithin(m.text, i, maxName, userSet)
	}
	from := colon + 1
	if from >= len(m.text) || m.text[colon] != ':' {
		return i
	}
	end := closing
	if closing == 0 && isQuote(m.text[from]) {
		end = m.closeQuote(from+1, m.text[from:from+1])
		from++
	} else if closing == 0 {
		end = m.findBareEnd(from, len(m.text), false)
	}
	if from >= end && closing > 0 { // "key:"
		from, end = i+1, colon
	}
	if text := m.text[from:end]; isVoid(text) || skipRun(text, 0, digitSet) == len(text) || strings.HasPrefix(text, "//") {
		return i
	}
	return m.hide(from, end)
}

var userSet = newByteSet(alnumBytes + "_-.$@{}")

// passwordOption is a short option of a command that takes a password.
type passwordOption struct {
	command string
	option  byte
}

var passwordOptions = [...]passwordOption{
	{"mysql", 'p'}, {"mariadb", 'p'}, {"sshpass", 'p'}, {"docker login", 'p'}, {"podman login", 'p'}, {"az login", 'p'}, {"mongo", 'p'},
	{"redis-cli", 'a'}, {"ldapsearch", 'w'}, {"ldapadd", 'w'}, {"ldapmodify", 'w'}, {"PGPASSWORD", 'W'},
}

// tryShortOption hides the value of curl -u name:password, of mysql -ppassword and similar options.
func (m *masker) tryShortOption(i int) int {
	if i+2 >= len(m.text) || i > 0 && !isBlank(m.text[i-1]) && !isQuote(m.text[i-1]) {
		return i + 1
	}
	option := m.text[i+1]
	if option == 'u' && (isBlank(m.text[i+2]) || isQuote(m.text[i+2])) {
		return m.hideUserPassword(i + 2)
	}
	for n, known := range passwordOptions {
		if known.option != option || !m.namesCommand(n) {
			continue
		}
		from := skipBlanks(m.text, i+2)
		if from > i+2 && (known.command == "mysql" || known.command == "mariadb") || from < len(m.text) && m.text[from] == '-' {
			return i + 1 // mysql asks for the password
		}
		return m.hideValue(pair{verdict: secret}, from)
	}
	return i + 1
}

// tryLongOption hides the value of an option with one dash, as of keytool and PowerShell: -storepass x.
func (m *masker) tryLongOption(i int) int {
	if i > 0 && !isBlank(m.text[i-1]) && m.text[i-1] != '\n' {
		return i + 1
	}
	const least = 4 // letters, more than of several short options in one
	end := skipRunWithin(m.text, i+1, maxName, base64URLSet)
	if end-i <= least || end == len(m.text) || m.text[end] != ' ' {
		return i + 1
	}
	from := skipBlanks(m.text, end)
	if from == len(m.text) || m.text[from] == '-' || m.rules.judgeName(m.text[i+1:end]) != secret {
		return i + 1
	}
	if word := strings.ToLower(m.text[from:skipRunWithin(m.text, from, maxWord, proseSet)]); isMessage(word) {
		return i + 1
	}
	return m.hideValue(pair{verdict: secret}, from)
}

// namesCommand reports whether the text names the command of an option. It searches for each command once.
func (m *masker) namesCommand(n int) bool {
	if m.namedCommands == nil {
		m.namedCommands = make([]bool, len(passwordOptions))
		for k, known := range passwordOptions {
			m.namedCommands[k] = strings.Contains(m.text, known.command)
		}
	}
	return m.namedCommands[n]
}

// tryCrypt hides the hash of a password, as in $6$salt$hash, whose first $ is at i.
func (m *masker) tryCrypt(i int) int {
	kind := skipRunWithin(m.text, i+1, maxCrypt, cryptKindSet)
	if kind == i+1 || kind >= len(m.text) || m.text[kind] != '$' || hasGeneratedMark(m.text[kind:]) {
		return m.tryProvider(i)
	}
	end := skipRun(m.text, kind+1, cryptSet)
	if text := m.text[kind+1 : end]; len(text) < minHint || !hasDigit(text) || !hasUpper(text) {
		return m.tryProvider(i)
	}
	return m.hide(kind+1, end)
}

const maxCrypt = 16 // bytes of the name of a hash

var (
	cryptKindSet = newByteSet(lowerBytes + digitBytes + "-")
	cryptSet     = newByteSet(alnumBytes + "./$=,+")
)
