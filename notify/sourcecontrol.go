package notify

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"errand/core"
)

const (
	publicGitHubAPI = "api.github.com"
	// maxNamePart bounds the names of an owner and a repository. GitHub's have at most 39 and 100 characters.
	maxNamePart = 100
)

// CheckRepositoryURL checks the URL of a webhook that acts in the source control: {apiURL}/repos/<owner>/<repo>/<action>,
// where apiURL is SCM_API_URL and the action is dispatches or issues.
func CheckRepositoryURL(apiURL, text, action string) error {
	base := strings.TrimRight(apiURL, "/") + "/repos/"
	hostEnd := len(base) - len("/repos/") - len(pathOf(apiURL))
	if len(text) < len(base) || !strings.EqualFold(text[:hostEnd], base[:hostEnd]) || text[hostEnd:len(base)] != base[hostEnd:] {
		return refuseURL("must be %s<owner>/<repo>/%s", base, action)
	}
	parts := strings.Split(text[len(base):], "/")
	if len(parts) != 3 || parts[2] != action || !isNamePart(parts[0]) || !isNamePart(parts[1]) {
		return refuseURL("must be %s<owner>/<repo>/%s", base, action)
	}
	return nil
}

// pathOf returns the path of SCM_API_URL, such as /api/v3, without a slash at the end.
func pathOf(apiURL string) string {
	parsed, err := url.Parse(apiURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(parsed.EscapedPath(), "/")
}

func isNamePart(text string) bool {
	if text == "" || text == "." || text == ".." || len(text) > maxNamePart {
		return false
	}
	return strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// NewRepositoryRequest returns a request to the source control with its token and its version header. The public GitHub API, and a
// self-hosted GitHub, whose API is below /api/v3, get GitHub's headers; others get neutral ones (decisions 8).
func NewRepositoryRequest(ctx context.Context, location, token core.Secret, body any) (*http.Request, error) {
	encoded, err := EncodeJSON(body)
	if err != nil {
		return nil, err
	}
	request, err := NewRequest(ctx, location, encoded)
	if err != nil {
		return nil, err
	}
	accept, versionHeader := "application/vnd.scm+json", "X-Scm-Api-Version"
	if strings.EqualFold(request.URL.Hostname(), publicGitHubAPI) || strings.HasPrefix(request.URL.Path, "/api/v3/") {
		accept, versionHeader = "application/vnd.github+json", "X-GitHub-Api-Version"
	}
	request.Header.Set("Accept", accept)
	request.Header.Set(versionHeader, "2022-11-28")
	request.Header.Set("Authorization", "Bearer "+token.Reveal())
	return request, nil
}
