package oauth

import (
	"slices"
	"strings"

	"errand/core"
)

// defaultScopes are the scopes for a client that names none: the loop of an agent needs both.
var defaultScopes = []core.Scope{core.IssuesRead, core.IssuesWrite}

// parseScopes reads the scopes that a client asks for. It leaves out unavailable ones, as RFC 6749, 3.3, allows, and
// reports false when none remains.
func parseScopes(text string) ([]core.Scope, bool) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return defaultScopes, true
	}
	scopes := slices.DeleteFunc(slices.Clone(core.ConsentScopes), func(s core.Scope) bool { return !slices.Contains(words, string(s)) })
	return scopes, len(scopes) > 0
}

func writeScopes(scopes []core.Scope) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}
