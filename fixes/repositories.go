package fixes

import (
	"regexp"
	"slices"
	"strings"
)

var repositoryForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*/\.?[a-z0-9_-][a-z0-9._-]*$`)

// ParseRepository returns a repository as owner/name in lower case, the form that projects store, and its host:
// https://github.com/Acme/shop.git is acme/shop on github.com. Without a host it is on the first. It returns false for a
// repository on another host, and for any other text.
func (h Hosts) ParseRepository(text string) (repository, host string, ok bool) {
	repository, host = strings.ToLower(text), h[0]
	if scheme, rest, isURL := strings.Cut(repository, "://"); isURL {
		var path string
		host, path, _ = strings.Cut(rest, "/")
		if scheme != "https" && scheme != "http" || !slices.Contains(h, host) {
			return "", "", false
		}
		repository = strings.TrimSuffix(path, "/")
	}
	repository = strings.TrimSuffix(repository, ".git")
	return repository, host, repositoryForm.MatchString(repository)
}

// remoteForm is the URL of a git remote: over HTTPS with or without a user, over SSH, or in the form of scp.
var remoteForm = regexp.MustCompile(
	`^(?:https?://(?:[^/@]*@)?([^/@]+)/|(?:ssh|git)://(?:[^/@]*@)?([^/@:]+)(?::[0-9]+)?/|(?:[^/@]*@)?([^/@:]+):/?)([^?#]+?)(?:\.git)?/?$`)

// ParseRemote returns the host and the path of a repository from the URL of a git remote, such as git@github.com:acme/shop.git.
// It returns false for a local folder.
func ParseRemote(url string) (host, path string, ok bool) {
	match := remoteForm.FindStringSubmatch(strings.TrimSpace(url))
	if match == nil {
		return "", "", false
	}
	return strings.ToLower(match[1] + match[2] + match[3]), match[4], true
}
