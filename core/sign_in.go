package core

import "net/netip"

// Person is a user as sessions and pages know one.
type Person struct {
	ID           int64
	EmailAddress string
	SiteAdmin    bool
	HasPassword  bool  // else the person signs in elsewhere
	Generation   int64 // a session of another one has ended
}

// SignInAttempt is what somebody shows to sign in with a password.
type SignInAttempt struct {
	EmailAddress string // as it was typed
	Password     Secret
	Client       netip.Addr // of IPv6, the network that one sender has
	Device       Secret     // what a browser keeps in which somebody has signed in before; empty for none
}

// ProviderIdentity is who a provider of single sign-on says that somebody is.
type ProviderIdentity struct {
	Issuer, Subject string
	EmailAddress    string // that the provider has verified
}

// What a new password must be like on a page. Only the upper bound holds for the API, too.
const (
	MinPassword      = 10 // characters
	MaxPasswordBytes = 72
)
