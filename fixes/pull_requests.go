package fixes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxURL is how long the URL of a pull request may be, in characters.
const maxURL = 500

// gitHub is the public host that has only pull requests. Other hosts may run any software.
const gitHub = "github.com"

var (
	// pullRequestForm is an owner, a repository and a number. Gitea and Forgejo write pulls.
	pullRequestForm = regexp.MustCompile(`^([a-z0-9][a-z0-9._-]*/\.?[a-z0-9_-][a-z0-9._-]*)/(pulls?)/([1-9][0-9]{0,9})$`)
	// mergeRequestForm is GitLab's form: groups, nested as deep as GitLab allows, a project and a number.
	mergeRequestForm = regexp.MustCompile(`^([a-z0-9_][a-z0-9._-]*(?:/[a-z0-9_][a-z0-9._-]*){1,20})/-/merge_requests/[1-9][0-9]{0,9}$`)
)

// Hosts are the hosts of source control (SCM_HOST), in lower case, at least one.
type Hosts []string

// ParseHosts reads the hosts of SCM_HOST, which are separated by commas.
func ParseHosts(text string) Hosts {
	var hosts Hosts
	for host := range strings.SplitSeq(strings.ToLower(text), ",") {
		if host = strings.TrimSpace(host); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// ParsePullRequest returns the URL of a pull request on one of the hosts, in lower case:
// https://<host>/<owner>/<repo>/pull/<number>, or GitLab's https://<host>/<group>/<project>/-/merge_requests/<number>. The form of
// Gitea and Forgejo, with pulls for pull, becomes the first. With a repository (owner/name) it must belong to that one. The error
// says what is allowed.
func (h Hosts) ParsePullRequest(text, repository string) (string, error) {
	found, url := h.findRepository(strings.ToLower(text))
	if found == "" || len(text) > maxURL {
		return "", fmt.Errorf("must be the URL of a pull request: %s", h.describeForms())
	}
	if repository != "" && found != strings.ToLower(repository) {
		return "", fmt.Errorf("must be a pull request of the project's repository, %s", repository)
	}
	return url, nil
}

// findRepository returns the repository of a pull request, whose URL is in lower case, and the URL in the form that is stored. Both
// are empty when it is not a pull request on the hosts.
func (h Hosts) findRepository(url string) (repository, stored string) {
	for _, host := range h {
		path, onHost := strings.CutPrefix(url, "https://"+host+"/")
		if !onHost {
			continue
		}
		if match := pullRequestForm.FindStringSubmatch(path); match != nil && (match[2] == "pull" || host != gitHub) {
			return match[1], PullRequestURL(host, match[1], match[3])
		}
		if match := mergeRequestForm.FindStringSubmatch(path); match != nil && host != gitHub {
			return match[1], url
		}
	}
	return "", ""
}

// describeForms lists the URL forms of pull requests on the hosts.
func (h Hosts) describeForms() string {
	forms := make([]string, 0, len(h))
	for _, host := range h {
		forms = append(forms, "https://"+host+"/<owner>/<repo>/pull/<number>")
		if host != gitHub {
			forms = append(forms, "https://"+host+"/<owner>/<repo>/pulls/<number>", "https://"+host+"/<group>/<project>/-/merge_requests/<number>")
		}
	}
	return strings.Join(forms, " or ")
}

// PullRequestURL returns the URL of the pull request with a number in a repository on a host, in the form of ParsePullRequest.
func PullRequestURL(host, repository, number string) string {
	return strings.ToLower("https://" + host + "/" + repository + "/pull/" + number)
}

// MergeRequestURL is PullRequestURL for GitLab.
func MergeRequestURL(host, project, number string) string {
	return strings.ToLower("https://" + host + "/" + project + "/-/merge_requests/" + number)
}
