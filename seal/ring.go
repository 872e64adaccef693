// Package seal encrypts the secrets that Errand must read again, such as those that sign webhooks, with AES-256-GCM. The keys
// come from ENCRYPTION_KEYS; each sealed text names its key.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"strconv"
	"strings"

	"errand/core"
)

const (
	keyBytes    = 32 // AES-256
	maxIDLength = 32 // shorter than any key in base64, so that a key is not taken for an id and shown
)

// Ring holds the keys of ENCRYPTION_KEYS: the first one seals, all of them open. Its methods may be called from several
// goroutines.
type Ring struct {
	keys []key
}

type key struct {
	id   string
	aead cipher.AEAD
}

// ParseRing reads ENCRYPTION_KEYS: a comma-separated list of <id>:<key>, the newest first, where a key is 32 bytes in base64. An
// entry that is not valid is left out, and so is a second one with the same id.
//
// The second result names the entries that were left out, for the log: by their id, or by their position when the id could be a
// secret in the wrong place, such as a key without an id.
func ParseRing(text core.Secret) (*Ring, []string) {
	ring := &Ring{}
	var invalid []string
	position := 0
	for entry := range strings.SplitSeq(text.Reveal(), ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		position++
		id, encoded, _ := strings.Cut(entry, ":")
		if id = strings.TrimSpace(id); !isID(id) {
			invalid = append(invalid, "#"+strconv.Itoa(position))
			continue
		}
		aead, ok := newAEAD(strings.TrimSpace(encoded))
		if !ok || ring.find(id) != nil {
			invalid = append(invalid, id)
			continue
		}
		ring.keys = append(ring.keys, key{id, aead})
	}
	return ring, invalid
}

// CanSeal reports whether the ring has any key; without one, secrets cannot be stored.
func (r *Ring) CanSeal() bool { return len(r.keys) > 0 }

func (r *Ring) find(id string) cipher.AEAD {
	for _, k := range r.keys {
		if k.id == id {
			return k.aead
		}
	}
	return nil
}

// isID reports whether the text can be the id of a key: letters, digits, "_", "-" and ".", at most 32 of them.
func isID(text string) bool {
	if text == "" || len(text) > maxIDLength {
		return false
	}
	for _, c := range []byte(text) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune("_-.", rune(c)) {
			return false
		}
	}
	return true
}

// newAEAD reads a key in base64, in either alphabet and with or without padding: people make keys with many tools.
func newAEAD(encoded string) (cipher.AEAD, bool) {
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(encoded, "="))
	secret, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil || len(secret) != keyBytes {
		return nil, false
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, false
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return aead, err == nil
}
