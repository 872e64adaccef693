// Package fixes holds the rules of fixes: does a deploy contain a fix, does a release contain it, did the error return, and when
// is the fix verified (decisions 6). It works on plain values and does no I/O.
package fixes

import (
	"errors"
	"strings"
)

// How many characters of a SHA name a commit. Git abbreviates to 7; 40 is the full length.
const (
	minCommit = 7
	maxCommit = 40
)

// errCommit follows the name of a field in a message.
var errCommit = errors.New("must be a commit SHA of 7 to 40 hex characters")

// ParseCommit returns a commit SHA in lower case, or an error that says what is allowed.
func ParseCommit(text string) (string, error) {
	if !isCommit(text) {
		return "", errCommit
	}
	return strings.ToLower(text), nil
}

func isCommit(text string) bool {
	if len(text) < minCommit || len(text) > maxCommit {
		return false
	}
	for _, c := range []byte(text) {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// IsSameCommit reports whether two SHAs name one commit: the longer starts with the shorter, which has at least 7 characters. So
// abc1234 and ABC1234D are the same, and abc123 equals nothing.
func IsSameCommit(a, b string) bool {
	if !isCommit(a) || !isCommit(b) {
		return false
	}
	length := min(len(a), len(b))
	return strings.EqualFold(a[:length], b[:length])
}

// PrefixLength is how many characters all SHAs of a commit share.
const PrefixLength = minCommit

// CommitPrefix returns the common prefix of all SHAs of a commit. Commits are looked up by it.
func CommitPrefix(commit string) string {
	return strings.ToLower(commit[:min(len(commit), PrefixLength)])
}
