package core

import (
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
	"strings"
)

// A credential is the prefix of its kind and 43 characters of an alphabet of 62, which hold 256 bits (primary API, Tokens).
const (
	credentialLength   = 43
	credentialAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// APIKeyPrefix begins every key of the management API, so that a leaked one is recognised.
const APIKeyPrefix = "cka_"

// NewCredential makes a credential with the prefix of its kind. random must be cryptographically strong.
func NewCredential(random io.Reader, prefix string) (Secret, error) {
	var b strings.Builder
	b.WriteString(prefix)
	for range credentialLength {
		n, err := rand.Int(random, big.NewInt(int64(len(credentialAlphabet))))
		if err != nil {
			return "", fmt.Errorf("core: random source: %w", err)
		}
		b.WriteByte(credentialAlphabet[n.Int64()])
	}
	return Secret(b.String()), nil
}

// LooksLike reports whether the secret has the form of a credential with the prefix. Other texts need no lookup.
func (s Secret) LooksLike(prefix string) bool {
	rest, ok := strings.CutPrefix(string(s), prefix)
	return ok && len(rest) == credentialLength
}
