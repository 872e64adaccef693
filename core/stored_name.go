package core

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// The longest names of releases, environments and builds of a release (dist), in characters (decisions 3).
const (
	MaxRelease     = 200
	MaxEnvironment = 64
	MaxDist        = 64
)

// OneLine returns the first line of a text, trimmed and cut to a number of characters. Tabs become spaces. Nothing
// marks the cut, so that a release is found by its first 200 characters.
func OneLine(text string, most int) string {
	text = strings.TrimSpace(text)
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	if strings.IndexByte(text, '\t') >= 0 {
		text = strings.ReplaceAll(text, "\t", " ")
	}
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	count := 0
	for i := range text {
		if count == most {
			return strings.TrimSpace(text[:i])
		}
		count++
	}
	return text
}

// digestMark separates a stored name from its digest. It is a control character, so cleaned text never contains it.
const digestMark = "\x1f"

// StoreName returns the stored form of the name of a release or an environment: the text that readers see, and a
// digest of the cleaned name if scrubbing masked a part of it. So two names that are masked alike stay two, and a
// deploy still matches its events (decisions 6).
//
// The name of a release may be the SHA of its commit, or the beginning of it. Then a digest of the first 7 characters follows.
func StoreName(cleaned, shown string) string {
	switch {
	case shown == cleaned:
		return shown
	case isSHA(cleaned):
		return shown + digestMark + hashName(cleaned) + digestMark + DigestCommit(cleaned)
	}
	return shown + digestMark + hashName(cleaned)
}

// isSHA reports whether a name may be the SHA of a commit, or the beginning of one.
func isSHA(name string) bool {
	const longest = 40
	if len(name) < commitDigested || len(name) > longest {
		return false
	}
	for i := range len(name) {
		if c := name[i] | 0x20; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// commitDigested is how many characters of a commit are digested: the length of its shortest name (decisions 6).
const commitDigested = 7

// DigestCommit returns the digest of the beginning of a commit, which has at least 7 characters. The column
// commit_digest of the database holds the same digest.
func DigestCommit(commit string) string { return hashName(strings.ToLower(commit[:commitDigested])) }

// CommitDigestOf returns the DigestCommit of a stored name that was masked and is a commit; empty for others.
func CommitDigestOf(stored string) string {
	_, digests, _ := strings.Cut(stored, digestMark)
	_, digest, _ := strings.Cut(digests, digestMark)
	return digest
}

// ShowName returns the part of a stored name that readers see.
func ShowName(stored string) string {
	shown, _, _ := strings.Cut(stored, digestMark)
	return shown
}

// ShowUntrusted is ShowName for a name that the monitored app sent.
func ShowUntrusted(stored Untrusted) Untrusted { return Untrusted(ShowName(string(stored))) }

// DigestName returns the digest of a name before it was masked, from a stored name or one that was only cleaned. The
// digest columns of the database hold the same digest.
func DigestName(stored string) string {
	if _, digests, isMasked := strings.Cut(stored, digestMark); isMasked {
		digest, _, _ := strings.Cut(digests, digestMark)
		return digest
	}
	return hashName(stored)
}

// IsSameName reports whether two stored names were the same before they were masked.
func IsSameName(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.Contains(a, digestMark) && !strings.Contains(b, digestMark) {
		return false
	}
	return DigestName(a) == DigestName(b)
}

func hashName(cleaned string) string {
	const digestBytes = 16
	sum := sha256.Sum256([]byte(cleaned))
	return hex.EncodeToString(sum[:digestBytes])
}
