package fixes

import (
	"regexp"
	"strings"
)

// maxReverted is how many commits one message may take back; further ones are left out.
const maxReverted = 20

// revertLine is the line that git writes into the message of a revert.
var revertLine = regexp.MustCompile(`(?m)^This reverts commit ([0-9a-fA-F]{7,40})\b`)

// FindReverted returns the commits that a commit with the message takes back, in lower case.
func FindReverted(message string) []string {
	var commits []string
	for _, match := range revertLine.FindAllStringSubmatch(message, maxReverted) {
		commits = append(commits, strings.ToLower(match[1]))
	}
	return commits
}

// isRevert reports whether a commit or a pull request with the text takes a change back. The revert of a revert brings the change
// again: git gives it the title Reapply "Load the cart", GitHub Revert "Revert "Load the cart"".
func isRevert(text string) bool {
	const quoted = `Revert "`
	reverts, rest := 0, text
	for strings.HasPrefix(rest, quoted) {
		reverts, rest = reverts+1, rest[len(quoted):]
	}
	switch {
	case reverts > 0:
		return reverts%2 == 1
	case strings.HasPrefix(text, `Reapply "`):
		return false
	}
	return revertLine.MatchString(text)
}
