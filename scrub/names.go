package scrub

import (
	"strings"
	"unicode/utf8"
)

// reach says where in a key a word counts.
type reach uint8

const (
	reachAnywhere reach = iota // also inside a longer word: dbpassword2
	reachSuffix                // at the end of a part: accesstoken, access_token, but not tokenizer
	reachPart                  // a separate part: user_session, but not obsession
	reachLast                  // the key's last part: db_pass, but not pass_count
)

// word is a name of secrets. In prose, the value of a weak one is often harmless ("auth: failed").
type word struct {
	text   string
	reach  reach
	isWeak bool
}

// secretWords are the default names (decisions 3) in their usual spellings, letters only: a key's case, separators and
// digits do not count.
var secretWords = newWordTable(
	newWords(reachAnywhere, false, `
		password passwd passphrase passcode passwort passwrd psswrd apikey privatekey secretkey accesskey encryptionkey
		signingkey masterkey sharedkey accountkey storagekey subscriptionkey servicekey consumerkey hmackey aeskey
		rsakey sshkey tlskey sslkey pgpkey deploykey licensekey authkey appkey creditcard debitcard cardnumber ccnumber
		socialsecurity securitycode cardcode sessionid sessid sessionkey csrf xsrf accesstoken authtoken refreshtoken
		amzsignature googsignature clientsecret connectionstring samlresponse kennwort contrasena contrasea motdepasse
		wachtwoord aspnetcoreidentityapplication ghsess rememberweb wordpressloggedin wordpresssec`),
	newWords(reachSuffix, false, `
		secret secrets pwd cardno cardnum ccnum credential credentials creds dbpass userpass smtppass mailpass rootpass
		adminpass storepass keypass connstr senha bindpw rootpw userpw dbpw`),
	newWords(reachSuffix, true, "token auth authorization authorisation authentication cookie cookies jwt bearer"),
	newWords(reachPart, false, "cred cvv cvc ssn assertion mfa"),
	newWords(reachPart, true, "session sessions tokens otp totp"),
	newWords(reachLast, false, "pass"),
)

// wholeKeys are names too short to search for inside a key; all begin with p or s.
var wholeKeys = [...]string{"pin", "sid", "sig", "pw"}

const maxWhole = 3 // the longest of them

// readableKeys are whole names, letters only, that contain a secret's word but that readers of events need: the kind of a
// credential, the name of a .NET assembly. docs/events.md lists them. Counted tokens are in isTokenCount.
var readableKeys = newWordSet(`
	tokentype authtype authmethod authprovider authenticationmethod authenticationtype authscheme credentialstype
	credentialprovider publickeytoken tokencount tokenscount prompttokensdetails completiontokensdetails
	inputtokensdetails outputtokensdetails sessioncount sessionscount sessionduration sessiontimeout sessionstatus
	sessionstarted cookiedomain cookieconsent cookieenabled cookiesenabled`)

// A key that ends with one of these parts describes a secret: an error, a time, an address. In a text, such a name is more often
// a word of a sentence than the name of a secret, so its value is judged.
var describingParts = newWordSet(`
	error errors exception failure failed fault invalid missing mismatch required found denied expired at type count
	counts total limit length size ttl expiry expires expiration in age duration timeout used usage method provider
	scheme name url uri endpoint path domain host port enabled disabled present valid verified app policy file dir
	consent status state version class handler manager service factory filter`)

func newWords(r reach, weak bool, texts string) (list []word) {
	for text := range strings.FieldsSeq(texts) {
		list = append(list, word{text, r, weak})
	}
	return list
}

func newWordSet(texts string) map[string]bool {
	m := map[string]bool{}
	for text := range strings.FieldsSeq(texts) {
		m[text] = true
	}
	return m
}

// quickSet is a set of words that most texts are not in by their first letter and their length.
type quickSet struct {
	words   map[string]bool
	lengths [256]uint32 // by first letter, a bit for each length
}

func newQuickSet(texts string) *quickSet {
	q := &quickSet{words: newWordSet(texts)}
	for word := range q.words {
		q.lengths[word[0]] |= 1 << (len(word) & 31)
	}
	return q
}

func (q *quickSet) hasWord(word []byte) bool {
	return len(word) > 0 && q.lengths[word[0]]>>(len(word)&31)&1 != 0 && q.words[string(word)]
}

// verdict is what a key's name says about its value: whether it is a secret.
type verdict uint8

const (
	public    verdict = iota
	described         // in a text: harmless, unless it looks like a secret
	weakly            // in a text: a secret, unless it reads like prose
	secret
)

// judgeDefaultName judges a key by the default names.
func judgeDefaultName(key string) verdict {
	if len(key) <= maxWhole && isWholeKey(key) {
		return secret
	}
	if secretWords.triples.isHitBy(key) {
		if found := secretWords.judgeKey(key); found != public {
			return found
		}
	}
	if endsWithSID(key) {
		return described
	}
	return public
}

// isSecondWord reports whether a name is the end of one of two words, as in prose ("API key: ..."), or the type after a name in
// Go (var password string = ...). Other words are separate names: in "bad token for user: bob", the name is user.
func isSecondWord(name string, colon bool) bool {
	var lower [6]byte
	if len(name) > len(lower) {
		return false
	}
	for i := range len(name) {
		lower[i] = name[i] | 0x20
	}
	switch string(lower[:len(name)]) {
	case "key", "keys", "number", "no", "code", "card", "id", "phrase", "word":
		return true
	case "string":
		return !colon
	}
	return false
}

func isWholeKey(key string) bool {
	if key == "" || key[0]|0x20 != 'p' && key[0]|0x20 != 's' {
		return false
	}
	for _, name := range wholeKeys {
		if strings.EqualFold(key, name) {
			return true
		}
	}
	return false
}

// endsWithSID reports whether a name is sid or ends with it, as the cookie connect.sid. After _ and - it is the number of a thing or a
// system: account_sid, ORACLE_SID, debian-sid.
func endsWithSID(name string) bool {
	n := len(name) - len("sid")
	return n >= 0 && (n == 0 || name[n-1] == '.') && name[n+2]|0x20 == 'd' && name[n+1]|0x20 == 'i' && name[n]|0x20 == 's'
}

// judgeKey searches for the words in a key that has one of their triples.
func (t *wordTable) judgeKey(key string) verdict {
	var space [64]byte
	var begins [64]bool
	k := splitKey(key, space[:0], begins[:0])
	found := public
	var gram uint32
	for i := range k.text {
		gram = pushLetter(gram, letters[k.text[i]])
		for _, w := range t.words[t.lists[gram]] {
			if found == secret || !k.hasWord(w, i-2-w.at) {
				continue
			}
			if found = weakly; !w.isWeak {
				found = secret
			}
		}
	}
	switch {
	case found == public || readableKeys[string(k.text)]:
		return public
	case describingParts[string(k.lastPart())]:
		return described
	}
	return found
}

// lookalikes are letters of other scripts that look like Latin ones, and words for a password in those scripts.
var lookalikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x",
	"ѕ", "s", "і", "i", "ј", "j", "α", "a", "ο", "o", "ρ", "p", "ν", "v",
	"пароль", "password", "Пароль", "password", "парола", "password", "密码", "password", "密碼", "password",
	"パスワード", "password", "비밀번호", "password", "暗証番号", "password")

// spellLatin spells a name in Latin letters where it can, because the words are Latin.
func spellLatin(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return lookalikes.Replace(name)
		}
	}
	return name
}
