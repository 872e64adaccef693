package core

import (
	"errors"
	"regexp"
	"strings"
)

// MaxEmailAddress is how many characters an address has at most (RFC 5321, 4.5.3.1.3).
const MaxEmailAddress = 254

// addressForm is what HTML calls a valid e-mail address: what browsers take in a form is taken here too.
var addressForm = regexp.MustCompile("^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@" + addressLabel + `(?:\.` + addressLabel + ")*$")

const addressLabel = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

// ErrNoEmailAddress says that a text is not an address.
var ErrNoEmailAddress = errors.New("is not an e-mail address")

// ReadEmailAddress returns an address as it is stored, trimmed and in lower case: it is one person's whatever the case.
// It returns ErrNoEmailAddress for a text that is none, or that has more than MaxEmailAddress characters.
func ReadEmailAddress(text string) (string, error) {
	address := strings.ToLower(strings.TrimSpace(text))
	if len(address) > MaxEmailAddress || !addressForm.MatchString(address) {
		return "", ErrNoEmailAddress
	}
	return address, nil
}
