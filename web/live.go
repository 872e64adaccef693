package web

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
)

// ageText is the text of a time that says how long it is ago, or how long there is until then. The script moves it on by itself, so a
// part whose ages alone have changed is the same.
var ageText = regexp.MustCompile(`(<time[^>]* data-(?:ago|left)[^>]*>)[^<]*</time>`)

// makeTag returns the ETag of a live part.
func makeTag(body []byte) string {
	return `W/"` + hashShortly(ageText.ReplaceAll(body, []byte("$1"))) + `"`
}

func hashShortly(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
