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

// isRevert reports whether a title is one that git and GitHub give to a revert. The revert of a revert brings the change again: git
// gives it the title Reapply "Load the cart", GitHub Revert "Revert "Load the cart"".
func isRevert(title string) bool {
	const quoted = `Revert "`
	reverts := 0
	for ; strings.HasPrefix(title, quoted); reverts++ {
		title = title[len(quoted):]
	}
	return reverts%2 == 1
}
