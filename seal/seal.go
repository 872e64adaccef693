package seal

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"errand/core"
)

// Errors of sealing and opening. Their texts hold no secret and no part of one.
var (
	// ErrNoKey is returned by Seal when ENCRYPTION_KEYS has no valid key.
	ErrNoKey = errors.New("no valid key in ENCRYPTION_KEYS")
	// ErrUnknownKey is returned by Open when the key of the text is no longer in ENCRYPTION_KEYS.
	ErrUnknownKey = errors.New("sealed with a key that is not in ENCRYPTION_KEYS")
	// ErrNotSealed is returned by Open when the text does not come from Seal.
	ErrNotSealed = errors.New("not a sealed text")
	// ErrBroken is returned by Open when the text was changed, was sealed for another purpose, or its id now belongs to another key.
	ErrBroken = errors.New("the sealed text does not open with its key, for this purpose")
)

var encoding = base64.RawURLEncoding.Strict()

// Seal encrypts a secret with the newest key, and returns <key id>:<base64>. The purpose names the secret and its owner, such as
// webhooks.secret/42: the text opens only for the same purpose, so that a row cannot use another row's secret.
func (r *Ring) Seal(secret core.Secret, purpose string) (string, error) {
	if !r.CanSeal() {
		return "", ErrNoKey
	}
	newest := r.keys[0]
	sealed := newest.aead.Seal(nil, nil, []byte(secret.Reveal()), []byte(purpose))
	return newest.id + ":" + encoding.EncodeToString(sealed), nil
}

// Open decrypts a result of Seal for the purpose, with any key of the ring.
func (r *Ring) Open(text, purpose string) (core.Secret, error) {
	id, sealed, err := splitSealed(text)
	if err != nil {
		return "", err
	}
	aead := r.find(id)
	if aead == nil {
		return "", fmt.Errorf("key %s: %w", id, ErrUnknownKey)
	}
	secret, err := aead.Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return "", fmt.Errorf("key %s: %w", id, ErrBroken)
	}
	return core.Secret(secret), nil
}

// IsOutdated reports whether the text is sealed with a key other than the newest, so that it should be opened and sealed again. A
// text whose key is gone also counts: opening it returns the error. Without a key nothing is outdated.
func (r *Ring) IsOutdated(text string) bool {
	id, _, err := splitSealed(text)
	return err == nil && r.CanSeal() && id != r.keys[0].id
}

// IDs returns the ids of all keys, the one that seals first.
func (r *Ring) IDs() []string {
	ids := make([]string, len(r.keys))
	for i, k := range r.keys {
		ids[i] = k.id
	}
	return ids
}

// NewestID returns the id of the key that seals. Sealed texts that are not outdated begin with it. It is "" without a key.
func (r *Ring) NewestID() string {
	if !r.CanSeal() {
		return ""
	}
	return r.keys[0].id
}

func splitSealed(text string) (id string, sealed []byte, err error) {
	id, encoded, _ := strings.Cut(text, ":")
	if !isID(id) || strings.ContainsAny(encoded, "\r\n") { // which base64 would pass over
		return "", nil, ErrNotSealed
	}
	if sealed, err = encoding.DecodeString(encoded); err != nil || len(sealed) == 0 {
		return "", nil, ErrNotSealed
	}
	return id, sealed, nil
}
