package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/netip"
	"time"

	"errand/core"
	"errand/store"
)

// The limits of attempts to sign in, over all servers. A correct password resets the count of the account, or of the
// device, and does not count for the address.
const (
	attemptWindow      = 15 * time.Minute
	attemptsPerAccount = 10
	attemptsPerDevice  = 10
	attemptsPerClient  = 50
)

// The limits of requests for a new password by mail.
const (
	mailWindow      = time.Hour
	mailsPerAccount = 3
	mailsPerClient  = 20
)

// subjects are the limits that an attempt counts towards.
type subjects struct{ client, account store.AttemptLimit }

// countSubjects returns the limits that an attempt counts towards. A browser where somebody has signed in to the
// account has its own count. So strangers who try passwords do not lock the owner out.
func (a *Accounts) countSubjects(address string, attempt core.SignInAttempt) subjects {
	account := store.AttemptLimit{Subject: hashSubject("account", address), Limit: attemptsPerAccount, Window: attemptWindow}
	if nonce, isKnown := a.readDevice(address, attempt.Device); isKnown {
		account.Subject, account.Limit = hashSubject("device", nonce), attemptsPerDevice
	}
	return subjects{client: limitClient(attempt.Client), account: account}
}

// limitClient limits the attempts from one address, over all accounts.
func limitClient(client netip.Addr) store.AttemptLimit {
	return store.AttemptLimit{Subject: hashSubject("sign-in from", client.String()), Limit: attemptsPerClient, Window: attemptWindow}
}

// countAttempt counts an attempt before it is made, so that simultaneous attempts count too. It returns limit when there are too many.
func (a *Accounts) countAttempt(ctx context.Context, s subjects) error {
	if err := a.Store.CountAttempt(ctx, s.client); err != nil {
		return err
	}
	return a.Store.CountAttempt(ctx, s.account)
}

// forgetAttempts resets the account's count after a correct password, and takes the attempt off the client's.
func (a *Accounts) forgetAttempts(ctx context.Context, s subjects) error {
	if err := a.Store.ForgetAttempts(ctx, s.account.Subject); err != nil {
		return err
	}
	return a.Store.UncountAttempt(ctx, s.client.Subject)
}

// hashSubject returns the key of a count. The table does not show who tried to sign in.
func hashSubject(kind, text string) []byte {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return sum[:]
}

const deviceNonce = 18 // bytes

// SignDevice makes the secret that a browser keeps after a person has entered the password in it: a random text and its signature.
func (a *Accounts) SignDevice(p core.Person) (core.Secret, error) {
	nonce := make([]byte, deviceNonce)
	if _, err := io.ReadFull(a.Random, nonce); err != nil {
		return "", err
	}
	return core.Secret(base64.RawURLEncoding.EncodeToString(append(nonce, a.deviceMAC(p.EmailAddress, nonce)...))), nil
}

// readDevice returns the random text of a device, and reports whether SignDevice made the device for the account.
func (a *Accounts) readDevice(address string, device core.Secret) (nonce string, isKnown bool) {
	text, err := base64.RawURLEncoding.DecodeString(device.Reveal())
	if err != nil || len(text) != deviceNonce+sha256.Size {
		return "", false
	}
	return string(text[:deviceNonce]), hmac.Equal(text[deviceNonce:], a.deviceMAC(address, text[:deviceNonce]))
}

func (a *Accounts) deviceMAC(address string, nonce []byte) []byte {
	mac := hmac.New(sha256.New, a.DeviceKey)
	mac.Write(nonce)
	mac.Write([]byte(address))
	return mac.Sum(nil)
}
