package web

import (
	"net/url"
	"strings"
)

// maxReturnPath is how many bytes of a path are kept while somebody signs in.
const maxReturnPath = 2000

// localPath returns the path, with its query, to which somebody goes after signing in; the issues for everything that could lead
// to another site. Browsers read a backslash as a slash, and leave control characters out.
func localPath(text string) string {
	if len(text) > maxReturnPath || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") {
		return issuesPath
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || c == '\\' {
			return issuesPath
		}
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || parsed.User != nil || strings.HasPrefix(parsed.Path, "//") ||
		strings.Contains(parsed.Path, `\`) {
		return issuesPath
	}
	return text
}

// SignInPath returns where somebody signs in to come back to a path; empty for a path that is too long to be kept until then.
func SignInPath(back string) string {
	if localPath(back) != back {
		return ""
	}
	return signInFirst(back)
}

// signInFirst returns where somebody signs in to come back to a path.
func signInFirst(path string) string {
	return signInPath + "?" + url.Values{returnField: {path}}.Encode()
}
