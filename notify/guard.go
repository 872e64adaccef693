package notify

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

const (
	lookupTimeout = 5 * time.Second
	maxAddresses  = 4 // of a host, that one attempt tries; all are checked
)

// LookupFunc finds the addresses of a host name, A and AAAA, such as net.DefaultResolver.LookupNetIP.
type LookupFunc func(ctx context.Context, network, host string) ([]netip.Addr, error)

// Guard decides which URLs may be called (webhooks, URL rules), so that nobody can make the server call into its own network.
type Guard struct {
	Lookup LookupFunc
	// Private are the addresses of WEBHOOK_ALLOW_PRIVATE, which may be called although they are not public, also over
	// http and by names such as runner.internal.
	Private []netip.Prefix
}

// CheckURL checks the URL of a new webhook, and returns its stored spelling. The error is a *URLError, to be shown to the
// caller, unless ctx has ended.
func (g *Guard) CheckURL(ctx context.Context, text string) (string, error) {
	receiver, err := parseReceiver(text)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if _, err := g.findAddresses(ctx, receiver); err != nil {
		return "", err
	}
	return receiver.String(), nil
}

// findAddresses looks a receiver up, and returns its addresses. If one of them may not be called, it returns none:
// otherwise luck would decide about a name with public and private addresses.
func (g *Guard) findAddresses(ctx context.Context, receiver *receiverURL) ([]netip.Addr, error) {
	if receiver.needsPrivate && len(g.Private) == 0 {
		return nil, refusePrivateForm(receiver)
	}
	found := []netip.Addr{receiver.addr}
	if !receiver.addr.IsValid() {
		var err error
		if found, err = g.lookupName(ctx, receiver.host); err != nil {
			return nil, err
		}
	}
	for i, addr := range found {
		found[i] = addr.Unmap()
		switch {
		case containsAddr(g.Private, found[i]):
		case !isPublic(addr):
			return nil, refuseURL("must not lead to %s, which is not a public address", describeHost(receiver.host, addr))
		case receiver.needsPrivate:
			return nil, refusePrivateForm(receiver)
		}
	}
	return found, nil
}

// refusePrivateForm says what is wrong with a URL in a form that only private receivers may have.
func refusePrivateForm(receiver *receiverURL) error {
	if receiver.Scheme == "http" {
		return refuseURL("must begin with https://")
	}
	return refuseURL("must not have the host %s, a name of private networks", receiver.host)
}

func (g *Guard) lookupName(ctx context.Context, host string) ([]netip.Addr, error) {
	found, err := g.Lookup(ctx, "ip", host)
	if ctxErr := ctx.Err(); errors.Is(ctxErr, context.Canceled) {
		return nil, ctxErr
	}
	var failed *net.DNSError
	switch {
	case errors.As(err, &failed) && failed.IsNotFound, err == nil && len(found) == 0:
		return nil, &URLError{text: "must have a host that exists: " + host + " has no address", Unresolved: true}
	case err != nil:
		return nil, &URLError{text: "must have a host that can be looked up: the name server does not answer for " + host, Unresolved: true}
	}
	return slices.Clone(found), nil
}

// describeHost returns the address, and the name that led to it if there is one.
func describeHost(host string, addr netip.Addr) string {
	if host == addr.String() {
		return host
	}
	return host + " at " + addr.String()
}

type checkedKey struct{}

// checkedAddresses are the addresses that one attempt may connect to, and its deadline.
type checkedAddresses struct {
	addresses []netip.Addr
	deadline  time.Time
}

// allowDial returns a context for one request. A connection under it goes to these checked addresses, even if the
// name of the host has changed its meaning. The connection must exist before the deadline of ctx.
func allowDial(ctx context.Context, addresses []netip.Addr) context.Context {
	deadline, _ := ctx.Deadline() // kept here, since the transport dials under a context without a deadline
	return context.WithValue(ctx, checkedKey{}, checkedAddresses{addresses, deadline})
}

// dialChecked connects to one of the addresses of allowDial, in their order. It never looks up a name.
func dialChecked(ctx context.Context, network, hostPort string) (net.Conn, error) {
	checked, _ := ctx.Value(checkedKey{}).(checkedAddresses)
	_, port, err := net.SplitHostPort(hostPort)
	if err != nil || len(checked.addresses) == 0 {
		return nil, errors.New("the address was not checked")
	}
	addresses := checked.addresses[:min(len(checked.addresses), maxAddresses)]
	for i, addr := range addresses {
		share := time.Until(checked.deadline) / time.Duration(len(addresses)-i)
		dialer := net.Dialer{Timeout: max(share, time.Millisecond), KeepAlive: -1}
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, network, net.JoinHostPort(addr.String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
