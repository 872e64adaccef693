package core

import (
	"errors"
	"regexp"
	"strings"
)

// MaxEmailAddress is the longest address in characters (RFC 5321, 4.5.3.1.3).
const MaxEmailAddress = 254

// addressForm is the definition of a valid e-mail address in HTML, so that an address that browsers accept is accepted here.
var addressForm = regexp.MustCompile("^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@" + addressLabel + `(?:\.` + addressLabel + ")*$")

const addressLabel = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

// ErrNoEmailAddress says that a text is not an address.
var ErrNoEmailAddress = errors.New("is not an e-mail address")

// ReadEmailAddress returns an address in its stored form, trimmed and in lower case, since case does not make another
// person. It returns ErrNoEmailAddress for a text that is not an address or has more than MaxEmailAddress characters.
func ReadEmailAddress(text string) (string, error) {
	address := strings.ToLower(strings.TrimSpace(text))
	if len(address) > MaxEmailAddress || !addressForm.MatchString(address) {
		return "", ErrNoEmailAddress
	}
	return address, nil
}
