package scrub

import (
	"strings"

	"errand/core"
)

// holdsData reports whether a name is that of the values of a Secret of Kubernetes.
func holdsData(name string) bool { return name == "data" || name == "stringData" }

// secretKinds are the ways in which a text says that a manifest is a Secret.
var secretKinds = [...]string{"kind: Secret\n", `"kind":"Secret"`, `"kind": "Secret"`}

// hasSecretKind reports whether the text has the manifest of a Secret. It looks once.
func (m *masker) hasSecretKind() bool {
	if !m.soughtKind {
		m.soughtKind = true
		m.secretKind = strings.HasSuffix(m.s, strings.TrimSpace(secretKinds[0]))
		for _, kind := range secretKinds {
			m.secretKind = m.secretKind || strings.Contains(m.s, kind)
		}
	}
	return m.secretKind
}

// manifestData hides what stands at i, behind data: in the manifest of a Secret: an object, or the lines below that are
// indented more.
func (m *masker) manifestData(i int) int {
	if i == len(m.s) || m.s[i] != '{' && m.s[i] != '\n' || !m.hasSecretKind() {
		return i
	}
	if m.s[i] == '{' {
		return m.bracketed(i)
	}
	line := strings.LastIndexByte(m.s[:i], '\n') + 1
	indent := run(m.s, line, indentSet) - line
	for i < len(m.s) {
		from := i + 1
		start := skipBlanks(m.s, from)
		if start == len(m.s) || start-from <= indent {
			break
		}
		end := indexFrom(m.s, start, "\n")
		if colon := strings.Index(m.s[start:end], ": "); colon >= 0 {
			start += colon + len(": ")
		}
		if text := m.s[start:end]; !isVoid(text) && !strings.HasSuffix(text, ":") {
			m.hide(start, end)
		}
		i = end
	}
	return i
}

var indentSet = bytesOf(" \t-") // a dash begins an element of a list

// isSecretManifest reports whether an object is the manifest of a Secret.
func isSecretManifest(v *core.Value) bool {
	for _, kid := range v.Kids {
		if kid.Key == "kind" {
			return kid.Value.Kind == core.String && kid.Value.Text == "Secret"
		}
	}
	return false
}
