package core

import "strings"

// MakeSlug makes the part of a URL that stands for a project's name: Web shop becomes web-shop. A name without
// letters gets the prefix app, since digits alone would look like an id.
func MakeSlug(name string) string { return MakeSlugOf("app", name) }

// MakeSlugOf is MakeSlug with another prefix for names without letters, such as team.
func MakeSlugOf(kind, name string) string {
	var b strings.Builder
	letters := false
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			letters = letters || r >= 'a'
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := strings.TrimSuffix(b.String(), "-")
	switch {
	case slug == "":
		return kind
	case !letters:
		return kind + "-" + slug
	default:
		return slug
	}
}
