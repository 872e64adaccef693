package scrub

import (
	"errors"
	"strings"
)

// ownKeys are a project's key names: whole keys, in any case, where - and _ are the same.
type ownKeys struct {
	names   map[string]bool
	lengths uint64 // a bit for each length modulo 64, to skip most keys
}

func newOwnKeys(keys []string) ownKeys {
	o := ownKeys{names: map[string]bool{}}
	for _, key := range keys {
		o.names[foldKey(key)] = true
		o.lengths |= 1 << (len(key) & 63)
	}
	return o
}

func (o *ownKeys) hasKey(key string) bool {
	return o.lengths>>(len(key)&63)&1 != 0 && o.names[foldKey(key)]
}

func foldKey(key string) string {
	return strings.ReplaceAll(strings.ToLower(key), "-", "_")
}

// maxKey is the longest key name that a project may have.
const maxKey = 200

// CheckKey checks one of a project's scrub_keys: a key name is letters, digits, _ . and - in any case (PATCH of a project). The
// error is a sentence for a person.
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
