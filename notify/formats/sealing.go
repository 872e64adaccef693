package formats

import (
	"encoding/json"
	"fmt"

	"errand/core"
	"errand/notify"
	"errand/seal"
)

// secrets are the secrets of a webhook before sealing, as one text.
type secrets struct {
	URL    string `json:"url,omitempty"` // for a chat
	Secret string `json:"secret,omitempty"`
	Token  string `json:"token,omitempty"`
}

// purpose binds the sealed secrets to their webhook: they do not open for another one.
func purpose(webhook int64) string { return fmt.Sprintf("webhooks/%d", webhook) }

// SealTarget returns the secrets of a webhook in stored form; empty when it has none.
func (f Form) SealTarget(ring *seal.Ring, webhook int64, target notify.Target) (string, error) {
	s := secrets{Secret: target.Secret.Reveal(), Token: target.Token.Reveal()}
	if f.IsURLSecret() {
		s.URL = target.URL.Reveal()
	}
	if s == (secrets{}) {
		return "", nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return ring.Seal(core.Secret(text), purpose(webhook))
}

// OpenTarget returns the destination of a webhook's deliveries, from its shown URL and the result of SealTarget.
func (f Form) OpenTarget(ring *seal.Ring, webhook int64, shownURL, sealed string) (notify.Target, error) {
	target := notify.Target{URL: core.Secret(shownURL)}
	if sealed == "" {
		return target, nil
	}
	text, err := ring.Open(sealed, purpose(webhook))
	if err != nil {
		return notify.Target{}, err
	}
	var s secrets
	if err := json.Unmarshal([]byte(text.Reveal()), &s); err != nil {
		return notify.Target{}, fmt.Errorf("the secrets of webhook %d are not what was sealed", webhook) // the error could quote them
	}
	if s.URL != "" {
		target.URL = core.Secret(s.URL)
	}
	target.Secret, target.Token = core.Secret(s.Secret), core.Secret(s.Token)
	return target, nil
}

// SealAnew seals the secrets of a webhook again, with the newest key.
func SealAnew(ring *seal.Ring, webhook int64, sealed string) (string, error) {
	text, err := ring.Open(sealed, purpose(webhook))
	if err != nil {
		return "", err
	}
	return ring.Seal(text, purpose(webhook))
}
