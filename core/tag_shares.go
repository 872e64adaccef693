package core

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// TagShares is how the newest stored events of an issue are spread over the values of one tag.
type TagShares struct {
	Key      Untrusted      `json:"key_untrusted" doc:"The tag, such as browser or release."`
	Events   int64          `json:"events" doc:"How many of the events have the tag."`
	Of       int64          `json:"of" doc:"How many events were looked at."`
	Distinct int64          `json:"distinct" doc:"How many values the tag has in them."`
	Values   List[TagShare] `json:"values" doc:"The most frequent first."`
}

// TagShare is the number of events with one value of a tag.
type TagShare struct {
	Value  Untrusted `json:"value_untrusted"`
	Events int64     `json:"events"`
}

// UserHash identifies a user by the beginning of the stored hash. It is the user_hash of an event.
type UserHash string

// userHashLength is how many hexadecimal digits of the hash readers see.
const userHashLength = 12

// ShowUserHash returns the part of a user's hash that readers see; empty for an event without one.
func ShowUserHash(hash []byte) Text {
	text := hex.EncodeToString(hash)
	return Text(text[:min(len(text), userHashLength)])
}

// JSONSchema is a text.
func (UserHash) JSONSchema() Schema { return Schema{"type": "string", "minLength": int64(1)} }

// Check refuses a text that is not a user_hash.
func (h UserHash) Check() error {
	if _, err := hex.DecodeString(string(h)); err != nil || h != "" && len(h) != userHashLength {
		return fmt.Errorf("must be the user_hash of an event: %d hexadecimal digits", userHashLength)
	}
	return nil
}

// Bytes returns the first bytes of the user's hash.
func (h UserHash) Bytes() []byte {
	start, _ := hex.DecodeString(string(h))
	return start
}

// maxTagFilter is the longest filter by a tag: a key and a value of 200 characters each, with up to 4 bytes a character.
const maxTagFilter = 1601

// TagFilter limits a list to a tag of events, written key:value. The key ends at the first colon.
type TagFilter string

// JSONSchema is a text.
func (TagFilter) JSONSchema() Schema {
	return Schema{"type": "string", "minLength": int64(1), "maxLength": int64(maxTagFilter)}
}

// Check refuses a text without a key or without a value.
func (f TagFilter) Check() error {
	if key, value := f.Split(); f != "" && (key == "" || value == "") {
		return errTagFilter
	}
	return nil
}

// Split returns the key and the value.
func (f TagFilter) Split() (key, value string) {
	key, value, _ = strings.Cut(string(f), ":")
	return strings.TrimSpace(key), strings.TrimSpace(value)
}

// errTagFilter follows the name of a field.
var errTagFilter = errors.New("must be key:value, such as browser:Chrome 131 or customer:acme")
