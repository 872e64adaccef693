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

// How often somebody may try to sign in, counted by all servers together. A right password has the account, or the device, begin
// anew, and does not count for the address.
const (
	attemptWindow      = 15 * time.Minute
	attemptsPerAccount = 10
	attemptsPerDevice  = 10
	attemptsPerClient  = 50
)

// How often a new password may be asked for by mail.
const (
	mailWindow      = time.Hour
	mailsPerAccount = 3
	mailsPerClient  = 20
)

// subjects are what an attempt counts for.
type subjects struct{ client, account store.AttemptLimit }

// countSubjects returns what an attempt counts for. Who shows that somebody has signed in to the account with this browser
// is counted apart: so strangers who try passwords do not lock its owner out.
func (a *Accounts) countSubjects(address string, attempt core.SignInAttempt) subjects {
	account := store.AttemptLimit{Subject: hashSubject("account", address), Limit: attemptsPerAccount, Window: attemptWindow}
	if nonce, isKnown := a.readDevice(address, attempt.Device); isKnown {
		account.Subject, account.Limit = hashSubject("device", nonce), attemptsPerDevice
	}
	return subjects{client: limitClient(attempt.Client), account: account}
}

// limitClient limits what one address tries, at all accounts.
func limitClient(client netip.Addr) store.AttemptLimit {
	return store.AttemptLimit{Subject: hashSubject("sign-in from", client.String()), Limit: attemptsPerClient, Window: attemptWindow}
}

// countAttempt counts an attempt before it is made, so that those made at the same time count too. It returns limit when there were
// too many.
func (a *Accounts) countAttempt(ctx context.Context, s subjects) error {
	if err := a.Store.CountAttempt(ctx, s.client); err != nil {
		return err
	}
	return a.Store.CountAttempt(ctx, s.account)
}

// forgetAttempts is called after a right password.
func (a *Accounts) forgetAttempts(ctx context.Context, s subjects) error {
	if err := a.Store.ForgetAttempts(ctx, s.account.Subject); err != nil {
		return err
	}
	return a.Store.UncountAttempt(ctx, s.client.Subject)
}

// hashSubject returns the key of what is counted: nobody reads from the table who tried to sign in.
func hashSubject(kind, text string) []byte {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return sum[:]
}

const deviceNonce = 18 // bytes

// SignDevice makes what a browser keeps after a person has shown the password in it: a random text and its signature.
func (a *Accounts) SignDevice(p core.Person) (core.Secret, error) {
	nonce := make([]byte, deviceNonce)
	if _, err := io.ReadFull(a.Random, nonce); err != nil {
		return "", err
	}
	return core.Secret(base64.RawURLEncoding.EncodeToString(append(nonce, a.deviceMAC(p.EmailAddress, nonce)...))), nil
}

// readDevice returns the random text of what SignDevice has made for the account, and reports whether it has.
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
