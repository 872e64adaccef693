package core

import (
	"net/netip"
	"time"
)

// Person is a user as sessions and pages see one.
type Person struct {
	ID           int64
	EmailAddress string
	SiteAdmin    bool
	HasPassword  bool  // false for people who sign in through a provider only
	Generation   int64 // sessions of another generation have ended
}

// NewSession is a session to begin.
type NewSession struct {
	Hash, Data []byte // SHA-256 of what stands in the cookie; what the manager of sessions keeps
	ExpiresAt  time.Time
	UserID     int64
	Generation int64
	Address    string // of the client; empty when it is not known
	UserAgent  string
}

// KeptSession is a live session.
type KeptSession struct {
	Data       []byte
	ExpiresAt  time.Time // unless it is used before
	ID         int64     // 0 for one that an older server began
	Generation int64     // of the user's sessions; -1: as Data says
}

// SignInAttempt is an attempt to sign in with a password.
type SignInAttempt struct {
	EmailAddress string // as it was typed
	Password     Secret
	Client       netip.Addr // for IPv6, the network of one sender
	Device       Secret     // a browser keeps it after somebody has signed in; empty for none
}

// ProviderIdentity is a person as identified by a provider of single sign-on.
type ProviderIdentity struct {
	Issuer, Subject string
	EmailAddress    string // verified by the provider
}

// The rules for a new password on a page. Only the upper bound applies to the API, too.
const (
	MinPassword      = 10 // characters
	MaxPasswordBytes = 72
)
