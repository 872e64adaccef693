package tools

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"strings"

	"errand/core"
)

// The form of a token: ck_ and 43 characters (primary API, Tokens); of a setup key: cks_ and as many. 43 characters of this
// alphabet hold 256 bits.
const (
	tokenPrefix   = "ck_"
	setupPrefix   = "cks_"
	tokenLength   = 43
	tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	shownPrefix   = 10 // characters of a token that lists show
)

// newCredential makes a credential with the prefix of its kind.
func (t *Tools) newCredential(prefix string) (core.Secret, error) {
	var b strings.Builder
	b.WriteString(prefix)
	for range tokenLength {
		n, err := rand.Int(t.random, big.NewInt(int64(len(tokenAlphabet))))
		if err != nil {
			return "", fmt.Errorf("tools: random source: %w", err)
		}
		b.WriteByte(tokenAlphabet[n.Int64()])
	}
	return core.Secret(b.String()), nil
}

// looksLike keeps texts that cannot be credentials of a kind from asking the database.
func looksLike(prefix string, s core.Secret) bool {
	rest, ok := strings.CutPrefix(s.Reveal(), prefix)
	return ok && len(rest) == tokenLength
}

// newPublicKey makes a DSN key: 32 hexadecimal digits.
func (t *Tools) newPublicKey() (string, error) {
	var key [16]byte
	if _, err := io.ReadFull(t.random, key[:]); err != nil {
		return "", fmt.Errorf("tools: random source: %w", err)
	}
	return hex.EncodeToString(key[:]), nil
}

// newProjectID makes a public id: a random number of 10 digits (primary API, Project).
func (t *Tools) newProjectID() (int64, error) {
	const lowest, count = 1_000_000_000, 9_000_000_000
	n, err := rand.Int(t.random, big.NewInt(count))
	if err != nil {
		return 0, fmt.Errorf("tools: random source: %w", err)
	}
	return lowest + n.Int64(), nil
}
