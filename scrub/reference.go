package scrub

import "strings"

// This file is about values that refer to a secret, or say its kind or state, in a form that no secret has: "secret: default/web-tls",
// "private key: PKCS8", "access key: inactive", "sig: SIGSEGV".

// isReference reports whether the value of a name is such a text.
func isReference(p *pair, text string) bool {
	if p.before != ';' && isWorkingFolder(p.name, text) { // a ; is before the password of a database
		return true
	}
	switch p.name {
	case "sig", "SIG":
		if isSignal(text) {
			return true
		}
	case "sid", "SID": // an instance of Oracle
		if len(text) <= maxInstance && skipRun(text, 0, upperSet) == len(text) {
			return true
		}
	}
	if len(text) < minReference {
		return false
	}
	if isFilePath(text) || isGeneratedClass(text) {
		return true
	}
	return p.hasColon && !p.isQuoted && (isTypeName(text) || isAlgorithm(text) || isResource(p.name, text))
}

const minReference = 3 // bytes, as of PEM and a/b

const (
	maxInstance = 8  // letters of an instance of Oracle
	maxSignal   = 10 // bytes of SIGSTKFLT and the like
)

var (
	upperSet    = newByteSet(upperBytes)
	resourceSet = newByteSet(lowerBytes + "-._")
	filePathSet = newByteSet(alnumBytes + "-._/")
)

// isIdentity reports whether the value of a name that ends with sid is the public identity of a thing, in the form of Windows,
// S-1-5-21, or of Twilio: two capitals and 32 hexadecimal digits. Behind a longer name, such as sub.sid, it is also a number, a word
// or code.
func isIdentity(found verdict, name, text string) bool {
	const letters, all = 2, 2 + 32
	switch {
	case !endsWithSID(name) || found != described && len(name) > len("sid"):
		return false
	case found == described && (!looksSecret(text) || strings.IndexAny(text, "([") > 0):
		return true
	case strings.HasPrefix(text, "S-1-"):
		return skipRun(text, len("S-1-"), identitySet) == len(text)
	}
	return len(text) == all && skipRun(text, 0, upperSet) == letters && skipRun(text, letters, lowerHexSet) == all
}

var (
	identitySet = newByteSet(digitBytes + "-")
	lowerHexSet = newByteSet(digitBytes + "abcdef")
)

// isSignal reports whether a text is a signal of Unix.
func isSignal(text string) bool {
	text = strings.TrimRight(text, ".,;:")
	name, ok := strings.CutPrefix(text, "SIG")
	return ok && name != "" && len(text) <= maxSignal && skipRun(name, 0, upperSet) == len(name)
}

// stateWords say what became of a secret: "access key: inactive". They are no message words: those count as well behind a value, where
// "password: swordfish active" must not hide it.
var stateWords = newQuickSet(`
	active inactive activated deactivated suspended paused blocked unblocked available unavailable encrypted unencrypted
	unprotected unreadable unrecognized unrecognised unverified unsigned unregistered unassigned unconfigured configured
	uninitialized uninitialised initialized initialised compromised unchanged inaccessible unreachable incomplete insufficient
	incompatible inconsistent nonexistent deprecated redacted`)

// algorithms are kinds of keys and signatures.
var algorithms = newQuickSet(`
	rsa dsa ecdsa ed25519 x25519 pkcs1 pkcs8 pkcs12 pem der x509 jwk hs256 hs384 hs512 rs256 rs384 rs512 es256 es384 es512
	ps256 eddsa sha1 sha256 sha-256 sha384 sha512 sha-512 hmac bcrypt scrypt argon2 argon2id pbkdf2 ssh-rsa ssh-ed25519`)

func isAlgorithm(text string) bool {
	text = strings.TrimRight(text, ".,;:")
	if len(text) > maxAlgorithm {
		return false
	}
	var space [maxAlgorithm]byte
	return algorithms.hasWord(appendLower(space[:0], text))
}

const maxAlgorithm = 12 // bytes

// typeEnds are how types are named that a message has in place of a value.
var typeEnds = [...]string{"Provider", "Exception", "Error", "Credentials", "Factory", "Handler", "Manager", "Service"}

// isTypeName reports whether a text is the name of a type, as InstanceProfileCredentialsProvider.
func isTypeName(text string) bool {
	text = strings.TrimRight(text, ".,;:")
	if text == "" || !isUpper(text[0]) && strings.IndexByte(text, '.') < 0 {
		return false
	}
	for _, end := range typeEnds {
		if front, ok := strings.CutSuffix(text, end); ok {
			return front != "" && isUpper(front[0]) && skipRun(text, 0, dottedSet) == len(text)
		}
	}
	return false
}

var dottedSet = newByteSet(lowerBytes + upperBytes + ".")

// isResource reports whether the value behind "secret:" is the path by which a cluster or a vault knows it. Each part is of words, as
// default/web-tls, or a number.
func isResource(name, text string) bool {
	text = strings.TrimRight(text, ".,;:")
	if !strings.EqualFold(name, "secret") && !strings.EqualFold(name, "secrets") || len(text) > maxName {
		return false
	}
	parts := 0
	for part := range strings.SplitSeq(text, "/") {
		if parts++; part == "" || len(part) > maxPart || !isResourcePart(part) {
			return false
		}
	}
	return parts > 1
}

const maxPart = 40 // bytes of a part of a resource's path

// isResourcePart reports whether a part is of words in lower case, perhaps with a short number behind, or a short number alone.
func isResourcePart(part string) bool {
	words := skipRun(part, 0, resourceSet)
	number := skipRun(part, words, digitSet)
	if number < len(part) || number-words > maxResourceNumber || isDense(part[:words]) {
		return false
	}
	return words == number || words == 0 || part[words-1] == '-' || part[:words] == "v"
}

const maxResourceNumber = 4 // digits

// isDense reports whether letters without a vowel are too long for a word: a random text in lower case.
func isDense(words string) bool {
	const most = 5
	run := 0
	for i := range len(words) {
		if run++; strings.IndexByte("aeiouy-._", words[i]) >= 0 {
			run = 0
		}
		if run > most {
			return true
		}
	}
	return false
}

// roots are the folders at the top of machines and containers.
var roots = newWordSet(`
	app bin builds code data dev etc github home lib media mnt nix opt private proc root run secrets srv src tmp usr users var vault
	volumes work workspace www`)

// isFilePath reports whether a text is the path of a file below such a folder: "private key: /etc/tls/tls.key", PWD=/srv/app.
func isFilePath(text string) bool {
	text = strings.TrimRight(strings.TrimPrefix(text, "file://"), ".,;:")
	if len(text) < 2 || len(text) > maxName || text[0] != '/' || skipRun(text, 0, filePathSet) < len(text) {
		return false
	}
	root, rest, _ := strings.Cut(text[1:], "/")
	if !roots[strings.ToLower(root)] {
		return false
	}
	for part := range strings.SplitSeq(rest, "/") {
		if isRandom(part) || len(part) >= minHint && isMixed(part) {
			return false
		}
	}
	return true
}

// isWorkingFolder reports whether a variable of the environment is the folder where the program, or its shell, works or worked.
func isWorkingFolder(name, text string) bool {
	return (name == "PWD" || name == "OLDPWD") && isFolder(text)
}

// isFolder reports whether a text is an absolute path, as of the working folder in PWD and OLDPWD. Below the root of a machine that
// has no such folder the first name has no digit, and no part looks like a secret.
func isFolder(text string) bool {
	rest := strings.ReplaceAll(text, `\`, "/")
	if isDrive := len(rest) > 2 && letters[rest[0]] != 0 && rest[1] == ':'; isDrive {
		rest = rest[2:]
	}
	if rest == "" || rest[0] != '/' || len(text) > maxProbe || skipRun(rest, 0, folderSet) < len(rest) {
		return false
	}
	root, below, _ := strings.Cut(rest[1:], "/")
	if hasDigit(root) && len(rest) == len(text) {
		return false
	}
	for part := range strings.SplitSeq(below, "/") {
		if isRandom(part) || len(part) >= minHint && isMixed(part) {
			return false
		}
	}
	return true
}

var folderSet = newByteSet(alnumBytes + "-._/ @+~()")

// generatedMarks are in the names of classes that the JVM's libraries make: Cart$$FastClassByCGLIB$$6c0b35d1.
var generatedMarks = [...]string{"FastClassBy", "EnhancerBy", "SpringCGLIB$$", "KeyFactoryBy", "Lambda$"}

// isGeneratedClass reports whether a text is the name of such a class, perhaps with a method or an address behind.
func isGeneratedClass(text string) bool {
	at := strings.Index(text, "$$")
	if at < 0 || len(text) > maxName || skipRun(text, 0, nameSet) < len(text) || !hasGeneratedMark(text[at:]) {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '$' || r == '.' || r == '@' }) {
		if isMixed(part) || len(part) > maxPart {
			return false
		}
	}
	return true
}

// hasGeneratedMark reports whether a text begins with one of the marks, behind its $.
func hasGeneratedMark(text string) bool {
	text = strings.TrimLeft(text, "$")
	for _, mark := range generatedMarks {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}
