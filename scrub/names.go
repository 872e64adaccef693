package scrub

import (
	"strings"
	"unicode/utf8"
)

// reach says where in a key a word must stand to count.
type reach uint8

const (
	anywhere reach = iota // also inside a longer word: dbpassword2
	suffix                // at the end of a part: accesstoken, access_token, but not tokenizer
	part                  // a part of its own: user_session, but not obsession
	last                  // the key's last part: db_pass, but not pass_count
)

// word is a name of secrets. The value of a weak one is often no secret in prose ("auth: failed").
type word struct {
	text  string
	reach reach
	weak  bool
}

// words are the default names (decisions 3) in their usual spellings, letters only: a key's case, separators and
// digits do not count.
var words = table(
	named(anywhere, false, "password passwd passphrase passcode passwort passwrd psswrd apikey privatekey secretkey accesskey encryptionkey signingkey "+
		"masterkey sharedkey accountkey storagekey subscriptionkey servicekey consumerkey hmackey aeskey rsakey sshkey tlskey sslkey pgpkey deploykey "+
		"licensekey authkey appkey creditcard debitcard cardnumber ccnumber socialsecurity securitycode cardcode sessionid sessid sessionkey "+
		"csrf xsrf accesstoken authtoken refreshtoken amzsignature googsignature clientsecret connectionstring samlresponse "+
		"kennwort contrasena contrasea motdepasse wachtwoord"),
	named(suffix, false, "secret secrets pwd cardno cardnum ccnum credential credentials creds dbpass userpass smtppass mailpass rootpass adminpass storepass keypass "+
		"connstr senha"),
	named(suffix, true, "token auth authorization authorisation authentication cookie cookies jwt bearer"),
	named(part, false, "cred cvv cvc ssn assertion mfa"),
	named(part, true, "session sessions tokens otp totp"),
	named(last, false, "pass"),
)

// wholeKeys are names too short to look for inside a key; all begin with p or s.
var wholeKeys = [...]string{"pin", "sid", "sig", "pw"}

const maxWhole = 3 // the longest of them

// readable are whole names, letters only, that have a secret's word and that readers of events need: what kind of
// credential it was, what an assembly of .NET is called. docs/events.md lists them. Counted tokens are in isTokenCount.
var readable = set("tokentype authtype authmethod authprovider authenticationmethod authenticationtype authscheme credentialstype credentialprovider " +
	"publickeytoken tokencount tokenscount prompttokensdetails completiontokensdetails inputtokensdetails outputtokensdetails " +
	"sessioncount sessionscount sessionduration sessiontimeout sessionstatus sessionstarted cookiedomain cookieconsent cookieenabled cookiesenabled")

// A key whose last part is one of these says something about a secret: an error, a time, an address. The value of such
// a name is judged in a text, where it is a sentence's word more often than a secret.
var describes = set("error errors exception failure failed fault invalid missing mismatch required found denied expired at type count counts total limit " +
	"length size ttl expiry expires expiration in age duration timeout used usage method provider scheme name url uri endpoint path domain host port " +
	"enabled disabled present valid verified app policy file dir consent status state version class handler manager service factory filter")

func named(r reach, weak bool, texts string) (list []word) {
	for text := range strings.FieldsSeq(texts) {
		list = append(list, word{text, r, weak})
	}
	return list
}

func set(texts string) map[string]bool {
	m := map[string]bool{}
	for text := range strings.FieldsSeq(texts) {
		m[text] = true
	}
	return m
}

// verdict says what a key's name tells about its value.
type verdict uint8

const (
	public    verdict = iota
	described         // in a text: no secret, unless it looks like one
	weakly            // in a text: a secret, unless it reads like prose
	secret
)

// nameOf judges a key by the default names.
func nameOf(key string) verdict {
	switch {
	case len(key) <= maxWhole && isWhole(key):
		return secret
	case words.triples.in(key):
		return words.judge(key)
	}
	return public
}

func isWhole(key string) bool {
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

// judge looks for the words in a key that has one of their triples.
func (t *wordTable) judge(key string) verdict {
	var space [64]byte
	var begins [64]bool
	k := split(key, space[:0], begins[:0])
	found := public
	var gram uint32
	for i := range k.text {
		gram = push(gram, letters[k.text[i]])
		for _, w := range t.words[t.lists[gram]] {
			if found == secret || !k.has(w, i-2-w.at) {
				continue
			}
			if found = weakly; !w.weak {
				found = secret
			}
		}
	}
	switch {
	case found == public || readable[string(k.text)]:
		return public
	case describes[string(k.lastPart())]:
		return described
	}
	return found
}

// lookalikes are letters of other scripts that are read as Latin ones, and words for a password in such scripts.
var lookalikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "ѕ", "s", "і", "i", "ј", "j", "α", "a", "ο", "o",
	"ρ", "p", "ν", "v", "пароль", "password", "Пароль", "password", "парола", "password", "密码", "password", "密碼", "password", "パスワード", "password",
	"비밀번호", "password", "暗証番号", "password")

// latin spells a name in Latin letters as far as it is known how, for the words are Latin.
func latin(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return lookalikes.Replace(name)
		}
	}
	return name
}
