package fixes

import (
	"regexp"
	"strings"
)

var repositoryForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*/\.?[a-z0-9_-][a-z0-9._-]*$`)

// ParseRepository returns a repository as projects have it, owner/name in lower case: https://github.com/Acme/shop.git on the
// host github.com is acme/shop. It reports false for a repository on another host, and for anything else.
func ParseRepository(text, host string) (repository string, ok bool) {
	repository = strings.ToLower(text)
	if scheme, rest, isURL := strings.Cut(repository, "://"); isURL {
		path, onHost := strings.CutPrefix(rest, strings.ToLower(host)+"/")
		if scheme != "https" && scheme != "http" || !onHost {
			return "", false
		}
		repository = strings.TrimSuffix(path, "/")
	}
	repository = strings.TrimSuffix(repository, ".git")
	return repository, repositoryForm.MatchString(repository)
}
