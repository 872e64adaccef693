package scm

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"errand/core"
)

// signature is the HMAC-SHA256 of a body, according to its sender.
type signature []byte

// parseSignature reads a header such as sha256=1f3a... Anything else is invalid_signature.
func parseSignature(header string) (signature, error) {
	text, isSHA256 := strings.CutPrefix(header, "sha256=")
	given, err := hex.DecodeString(text)
	if !isSHA256 || err != nil || len(given) != sha256.Size {
		return nil, core.NewError(core.InvalidSignature)
	}
	return given, nil
}

// signs reports whether the signature is the body's. The duration says nothing about the right signature.
func (s signature) signs(body []byte, secret core.Secret) bool {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), s)
}
