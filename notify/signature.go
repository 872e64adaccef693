package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"errand/core"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// NewSecret makes the secret that signs the deliveries of a webhook: whsec_ and 43 characters. The random bytes come
// from crypto/rand.Reader, or from a reader of the test.
func NewSecret(random io.Reader) (core.Secret, error) {
	var b [secretBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("making a webhook secret: %w", err)
	}
	return core.Secret(secretPrefix + base64.RawURLEncoding.EncodeToString(b[:])), nil
}

// SignBody returns the header x-service-signature: t=<unix seconds>,v1=<hex>, where v1 is the HMAC-SHA256 of
// <t>.<body>, keyed with the whole secret, whsec_ included (webhooks, Events).
func SignBody(secret core.Secret, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(seconds))
	mac.Write([]byte("."))
	mac.Write(body)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// AddDeliveryHeaders adds the headers that tell a receiver what a request is: x-service-event and x-service-delivery. If the webhook has
// a secret, it adds x-service-signature, which proves that the request is from Errand (webhooks, Events).
func AddDeliveryHeaders(request *http.Request, m *Message, target Target) error {
	request.Header.Set("X-Service-Event", string(m.Event))
	request.Header.Set("X-Service-Delivery", strconv.FormatInt(m.DeliveryID, 10))
	if target.Secret == "" {
		return nil
	}
	reader, err := request.GetBody()
	if err != nil {
		return err
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		return err
	}
	request.Header.Set("X-Service-Signature", SignBody(target.Secret, m.SentAt, body))
	return nil
}
