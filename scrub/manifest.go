package scrub

import (
	"strings"

	"errand/core"
)

// holdsData reports whether a name is a field with the values of a Kubernetes Secret.
func holdsData(name string) bool { return name == "data" || name == "stringData" }

// secretKinds are spellings of a manifest's kind Secret.
var secretKinds = [...]string{"kind: Secret\n", `"kind":"Secret"`, `"kind": "Secret"`}

// hasSecretKind reports whether the text has the manifest of a Secret. It searches once.
func (m *masker) hasSecretKind() bool {
	if !m.soughtSecretKind {
		m.soughtSecretKind = true
		m.foundSecretKind = strings.HasSuffix(m.text, strings.TrimSpace(secretKinds[0]))
		for _, kind := range secretKinds {
			m.foundSecretKind = m.foundSecretKind || strings.Contains(m.text, kind)
		}
	}
	return m.foundSecretKind
}

// hideManifestData hides the values at i, after data: in the manifest of a Secret: an object, or the lines below that are
// indented more.
func (m *masker) hideManifestData(i int) int {
	if i == len(m.text) || m.text[i] != '{' && m.text[i] != '\n' || !m.hasSecretKind() {
		return i
	}
	if m.text[i] == '{' {
		return m.hideBracketed(i)
	}
	line := strings.LastIndexByte(m.text[:i], '\n') + 1
	indent := skipRun(m.text, line, indentSet) - line
	for i < len(m.text) {
		from := i + 1
		start := skipBlanks(m.text, from)
		if start == len(m.text) || start-from <= indent {
			break
		}
		end := indexFrom(m.text, start, "\n")
		if colon := strings.Index(m.text[start:end], ": "); colon >= 0 {
			start += colon + len(": ")
		}
		if text := m.text[start:end]; !isVoid(text) && !strings.HasSuffix(text, ":") {
			m.hide(start, end)
		}
		i = end
	}
	return i
}

var indentSet = newByteSet(" \t-") // a dash begins an element of a list

// isSecretManifest reports whether an object is the manifest of a Secret.
func isSecretManifest(v *core.Value) bool {
	for _, kid := range v.Kids {
		if kid.Key == "kind" {
			return kid.Value.Kind == core.String && kid.Value.Text == "Secret"
		}
	}
	return false
}
