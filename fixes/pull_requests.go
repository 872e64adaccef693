package fixes

import (
	"fmt"
	"regexp"
	"strings"
)

// maxURL is how long the URL of a pull request may be, in characters.
const maxURL = 500

// pullRequestForm is an owner, a repository and a number.
var pullRequestForm = regexp.MustCompile(`^([a-z0-9][a-z0-9._-]*)/(\.?[a-z0-9_-][a-z0-9._-]*)/pull/([1-9][0-9]{0,9})$`)

// ParsePullRequest returns the URL of a pull request on the host, in lower case: https://<host>/<owner>/<repo>/pull/<number>.
// With a repository (owner/name) it must be of that one. The error says what is allowed.
func ParsePullRequest(text, host, repository string) (string, error) {
	prefix := "https://" + strings.ToLower(host) + "/"
	url := strings.ToLower(text)
	path, onHost := strings.CutPrefix(url, prefix)
	match := pullRequestForm.FindStringSubmatch(path)
	if !onHost || match == nil || len(text) > maxURL {
		return "", fmt.Errorf("must be the URL of a pull request: %s<owner>/<repo>/pull/<number>", prefix)
	}
	if repository != "" && match[1]+"/"+match[2] != strings.ToLower(repository) {
		return "", fmt.Errorf("must be a pull request of the project's repository, %s", repository)
	}
	return url, nil
}
