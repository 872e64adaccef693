// Package accounts is the behaviour behind the pages for signing in: rules over rows, without HTTP.
package accounts

import (
	"context"
	"crypto/sha256"
	"io"
	"log/slog"

	"errand/core"
	"errand/passwords"
	"errand/store"
)

// Options are what the accounts work with. All but Mail and Observe must be set.
type Options struct {
	Store     *store.Store
	Passwords *passwords.Hasher
	Random    io.Reader // cryptographically strong
	DeviceKey []byte    // signs the secrets that browsers keep; the same on all servers
	Log       *slog.Logger
	BaseURL   func() string // the present public URL, for the links in mails
	// Mail sends a mail; nil when the installation sends none.
	Mail func(ctx context.Context, to, subject, text string) error
	// Observe is told how an attempt to sign in with a password ended: ok, refused or limit. It may be nil.
	Observe func(outcome string)
	// AllowedDomains are domains of addresses, in lower case. Single sign-on makes users only for these.
	AllowedDomains []string
}

// Accounts are the accounts of people. Its methods are safe for concurrent use.
type Accounts struct {
	Options
	mails chan passwordMail // that wait to be sent
}

// New returns the accounts.
func New(o Options) *Accounts {
	return &Accounts{Options: o, mails: make(chan passwordMail, maxMailsWaiting)}
}

// FindPerson returns a person who may sign in, or not_found.
func (a *Accounts) FindPerson(ctx context.Context, id int64) (core.Person, error) {
	user, err := a.Store.ReadUser(ctx, id)
	if err == nil && !user.DisabledAt.IsZero() {
		err = core.NewError(core.NotFound)
	}
	return personOf(user), err
}

func personOf(u store.User) core.Person {
	return core.Person{
		ID: u.ID, EmailAddress: u.EmailAddress, SiteAdmin: u.SiteAdmin, HasPassword: u.PasswordHash != "", Generation: u.SessionGeneration,
	}
}

func hashSecret(secret core.Secret) []byte {
	sum := sha256.Sum256([]byte(secret.Reveal()))
	return sum[:]
}
