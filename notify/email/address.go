package email

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
)

const (
	maxRecipients = 20
	maxAddress    = 254 // bytes, in SMTP
)

// CheckRecipients checks the addresses of a new alert: 1 to 20, each of them once, without names.
func CheckRecipients(to []string) error {
	if len(to) == 0 || len(to) > maxRecipients {
		return fmt.Errorf("must be 1 to %d email addresses", maxRecipients)
	}
	seen := map[string]bool{}
	for i, address := range to {
		if err := checkAddress(address); err != nil {
			return fmt.Errorf("%w: address %d", err, i+1)
		}
		lower := strings.ToLower(address)
		if seen[lower] {
			return fmt.Errorf("must not name an address twice: address %d", i+1)
		}
		seen[lower] = true
	}
	return nil
}

var errAddress = errors.New("must be plain email addresses in ASCII, such as ops@example.com")

func checkAddress(address string) error {
	if len(address) > maxAddress {
		return errAddress
	}
	for _, c := range []byte(address) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>,;:\()[]`, c) >= 0 {
			return errAddress
		}
	}
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || parsed.Name != "" {
		return errAddress
	}
	return nil
}
