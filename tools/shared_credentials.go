package tools

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
)

// The prefixes of the kinds of credentials (primary API, Tokens).
const (
	tokenPrefix = "ck_"
	setupPrefix = "cks_"
	shownPrefix = 10 // characters of a token that lists show
)

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
