package scrub

import (
	"errors"
	"strings"
)

// reach says where in a key a word must stand to count.
type reach uint8

const (
	anywhere reach = iota // also inside a longer word: dbpassword2
	suffix                // at the end of a part: accesstoken, access_token, but not tokenizer
	part                  // a part of its own: user_session, but not obsession
	last                  // the key's last part: db_pass, but not pass_count
)

// word is a name of secrets. The value of a weak one is often no secret in prose ("auth: failed") or when the key
// goes on to describe it (token_type).
type word struct {
	text  string
	reach reach
	weak  bool
}

// words are the default names (decisions 3) in their usual spellings, letters only: a key's case, separators and
// digits do not count.
var words = table(
	named(anywhere, false, "password passwd passphrase passcode passwort apikey privatekey secretkey accesskey encryptionkey signingkey masterkey "+
		"sharedkey accountkey storagekey subscriptionkey servicekey consumerkey hmackey aeskey rsakey sshkey tlskey sslkey pgpkey deploykey licensekey "+
		"authkey appkey creditcard debitcard cardnumber ccnumber socialsecurity securitycode cardcode sessionid sessid sessionkey "+
		"csrf xsrf accesstoken authtoken refreshtoken amzsignature googsignature clientsecret"),
	named(suffix, false, "secret secrets pwd cardno cardnum ccnum credential credentials creds dbpass userpass smtppass mailpass rootpass adminpass storepass keypass"),
	named(suffix, true, "token auth authorization authorisation authentication cookie cookies jwt bearer"),
	named(part, false, "cred cvv cvc ssn"),
	named(part, true, "session sessions tokens otp totp"),
	named(last, false, "pass"),
)

// wholeKeys are names too short to look for inside a key; all begin with p or s.
var wholeKeys = [...]string{"pin", "sid", "sig", "pw"}

const maxWhole = 3 // the longest of them

// A key whose last part is one of these tells something about a secret and is none: an error, a time, a count.
var (
	describes = set("error errors exception failure failed fault invalid missing mismatch required found denied expired at")
	// the same for weak words only
	describesWeak = set("type count counts total limit length size ttl expiry expires expiration in age duration timeout used usage method " +
		"provider scheme name url uri endpoint path domain host port enabled disabled present valid verified app")
	// names that only look like one: a .NET assembly's
	innocent = set("publickeytoken")
	// tokens of a language model, which are counted
	countsTokens = set("max min total prompt completion input output num cached reasoning used remaining")
)

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

const letterBits = 5

// wordTable finds words in a key by one of their letter triples (the rarest), so that a key without such a
// triple is done with after one look at each letter.
type wordTable struct {
	triples tripleSet
	lists   [1 << (3 * letterBits)]uint8 // the triple's list of words
	words   [][]placed
}

// placed is a word and where in it the triple begins.
type placed struct {
	word
	at int
}

func table(lists ...[]word) *wordTable {
	t := &wordTable{words: [][]placed{nil}}
	for _, list := range lists {
		for _, w := range list {
			at := rarest(w.text)
			gram := gramOf(w.text[at : at+3])
			if t.lists[gram] == 0 {
				t.triples.add(gram)
				t.lists[gram] = uint8(len(t.words))
				t.words = append(t.words, nil)
			}
			n := t.lists[gram]
			t.words[n] = append(t.words[n], placed{w, at})
		}
	}
	return t
}

// tripleSet has one bit for each triple of letters.
type tripleSet [1 << (3 * letterBits) / 64]uint64

func (t *tripleSet) add(gram uint32) { t[gram>>6] |= 1 << (gram & 63) }

// in is true when three letters of the text, one after the other but for what is no letter, are in the set.
func (t *tripleSet) in(s string) bool {
	var gram uint32
	var hit uint64
	for i := range len(s) { // without branches: what is no letter moves nothing
		c := s[i]
		gram = (gram<<(shifts[c]&7) | uint32(letters[c])) & (1<<(3*letterBits) - 1)
		hit |= t[gram>>6] >> (gram & 63)
	}
	return hit&1 != 0
}

// gramOf gives the last three letters of a text.
func gramOf(text string) (gram uint32) {
	for i := range len(text) {
		if l := letters[text[i]]; l != 0 {
			gram = push(gram, l)
		}
	}
	return gram
}

// push adds a letter to the last two.
func push(gram uint32, letter uint8) uint32 {
	return (gram<<letterBits | uint32(letter)) & (1<<(3*letterBits) - 1)
}

// rarest gives the place of the triple whose letters are the least common.
func rarest(text string) int {
	perMille := [26]int{85, 20, 50, 55, 120, 25, 25, 30, 75, 3, 8, 45, 35, 70, 75, 30, 2, 70, 70, 90, 35, 12, 12, 5, 20, 2} // a to z, about, in keys
	best, at := 1<<30, 0
	for i := 0; i+3 <= len(text); i++ {
		cost := 1
		for _, c := range []byte(text[i : i+3]) {
			cost *= perMille[c-'a']
		}
		if cost < best {
			best, at = cost, i
		}
	}
	return at
}

// letters gives 1 to 26 for the letters of either case, 0 for every other byte.
var letters = func() (l [256]uint8) {
	for c := range uint8(26) {
		l['a'+c], l['A'+c] = c+1, c+1
	}
	return l
}()

// shifts gives by how much a byte moves the letters before it in a triple.
var shifts = func() (s [256]uint8) {
	for c := range s {
		if letters[c] != 0 {
			s[c] = letterBits
		}
	}
	return s
}()

// verdict says what a key's name tells about its value.
type verdict uint8

const (
	public verdict = iota
	weakly         // a secret, unless it reads like prose
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
	found, plural := public, false
	var gram uint32
	for i := range k.text {
		gram = push(gram, letters[k.text[i]])
		for _, w := range t.words[t.lists[gram]] {
			if !k.has(w, i-2-w.at) {
				continue
			}
			if !w.weak {
				found = secret
			} else if found == public {
				found = weakly
			}
			plural = plural || w.text == "tokens"
		}
	}
	end := k.lastPart()
	switch {
	case found == public, describes[string(end)], innocent[string(k.text)], found == weakly && describesWeak[string(end)]:
		return public
	case found == weakly && plural && k.any(countsTokens):
		return public
	}
	return found
}

// keyParts is a key's letters in lower case, and where its parts begin: after anything that is no letter, and at the
// humps of camelCase.
type keyParts struct {
	text   []byte
	starts []bool
}

// split appends the parts of a key to two slices, which spare it the memory.
func split(key string, text []byte, starts []bool) keyParts {
	var before, prev byte // the bytes before
	for i := range len(key) {
		c := key[i]
		if letters[c] != 0 {
			if isLower(c) && isUpper(prev) && isUpper(before) {
				starts[len(starts)-1] = true // the hump of APIKey is at its K
			}
			text = append(text, c|0x20)
			starts = append(starts, letters[prev] == 0 || isLower(prev) && isUpper(c))
		}
		before, prev = prev, c
	}
	return keyParts{text, starts}
}

// has is true when the word stands at the place, as far into other words as it may.
func (k *keyParts) has(w placed, at int) bool {
	end := at + len(w.text)
	if at < 0 || end > len(k.text) || string(k.text[at:end]) != w.text {
		return false
	}
	startsPart, endsPart := k.starts[at], end == len(k.text) || k.starts[end]
	switch w.reach {
	case suffix:
		return endsPart
	case part:
		return startsPart && endsPart
	case last:
		return startsPart && end == len(k.text)
	}
	return true
}

func (k *keyParts) lastPart() []byte {
	i := len(k.text) - 1
	for i > 0 && !k.starts[i] {
		i--
	}
	return k.text[i:]
}

func (k *keyParts) any(parts map[string]bool) bool {
	begin := 0
	for i := 1; i <= len(k.text); i++ {
		if i == len(k.text) || k.starts[i] {
			if parts[string(k.text[begin:i])] {
				return true
			}
			begin = i
		}
	}
	return false
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool { return letters[c] != 0 || isDigit(c) }

// ownKeys are a project's key names: the whole key, in any case, with - and _ as one.
type ownKeys struct {
	names   map[string]bool
	lengths uint64 // a bit for each length modulo 64, to pass over most keys
}

func newOwnKeys(keys []string) ownKeys {
	o := ownKeys{names: map[string]bool{}}
	for _, key := range keys {
		o.names[folded(key)] = true
		o.lengths |= 1 << (len(key) & 63)
	}
	return o
}

func (o *ownKeys) has(key string) bool {
	return o.lengths>>(len(key)&63)&1 != 0 && o.names[folded(key)]
}

func folded(key string) string {
	return strings.ReplaceAll(strings.ToLower(key), "-", "_")
}

// maxKey is the longest key name that a project may have.
const maxKey = 200

// CheckKey says what is wrong with one of a project's scrub_keys: a key name is letters, digits, _ . and - in any case
// (PATCH of a project). The error is a sentence for a person.
func CheckKey(key string) error {
	if key == "" {
		return errors.New("a key name must not be empty")
	}
	if len(key) > maxKey {
		return errors.New("a key name must be at most 200 characters")
	}
	for i := range len(key) {
		if c := key[i]; !isAlnum(c) && c != '_' && c != '.' && c != '-' {
			return errors.New("a key name may only have letters, digits, and the characters _ . -")
		}
	}
	return nil
}
