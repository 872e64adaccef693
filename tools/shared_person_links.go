package tools

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"

	"errand/core"
	"errand/store"
)

// newLinkCode makes the secret of a link that sets a password, and its SHA-256.
func (t *Tools) newLinkCode() (core.Secret, []byte, error) {
	code, err := core.NewCredential(t.random, core.LinkPrefix)
	if err != nil {
		return "", nil, err
	}
	hash := sha256.Sum256([]byte(code.Reveal()))
	return code, hash[:], nil
}

// handOutLink mails the link with the secret, where mail can be sent, and returns it. A mail that fails is no failure: the answer has
// the link.
func (t *Tools) handOutLink(
	ctx context.Context, user store.User, code core.Secret, expiresAt core.Time, subject, text string,
) core.PersonLink {
	link := core.PersonLink{
		ID: user.ID, EmailAddress: user.EmailAddress, ExpiresAt: expiresAt,
		URL: t.store.Settings().BaseURL + "/reset-password?" + url.Values{"code": {code.Reveal()}}.Encode(),
	}
	if t.mail != nil {
		link.Mailed = t.mail(ctx, user.EmailAddress, subject, fmt.Sprintf(text, link.URL)) == nil
	}
	return link
}
