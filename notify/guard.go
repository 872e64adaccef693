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
	maxAddresses  = 4 // of a host, that are tried in one attempt; all are checked
)

// LookupFunc finds the addresses of a host name, A and AAAA, such as net.DefaultResolver.LookupNetIP.
type LookupFunc func(ctx context.Context, network, host string) ([]netip.Addr, error)

// Guard decides which URLs may be called (webhooks, URL rules), so that nobody can make the server talk to the network
// that it stands in.
type Guard struct {
	Lookup LookupFunc
	// Private are the addresses of WEBHOOK_ALLOW_PRIVATE, which may be called although they are not public, also by http
	// and by names such as runner.internal.
	Private []netip.Prefix
}

// CheckURL checks the URL of a new webhook, and returns it in the spelling in which it is kept. The error is a *URLError,
// to be shown to the caller, unless ctx has ended.
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

// findAddresses looks a receiver up, and returns its addresses. When one of them may not be called, none is returned: a
// name that has public and private addresses would else be a matter of luck.
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

// refusePrivateForm says what is wrong with a URL that has a form for private receivers only.
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

// checkedAddresses are where one attempt may connect to, and until when.
type checkedAddresses struct {
	addresses []netip.Addr
	deadline  time.Time
}

// allowDial returns a context for one request: a connection that is made under it goes to these addresses, which are
// checked, whatever the name of the host means by then. It has to be there before the deadline of ctx.
func allowDial(ctx context.Context, addresses []netip.Addr) context.Context {
	deadline, _ := ctx.Deadline() // said here, since the transport dials under a context without one
	return context.WithValue(ctx, checkedKey{}, checkedAddresses{addresses, deadline})
}

// dialChecked connects to one of the addresses of allowDial, in their order. It never looks a name up.
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
