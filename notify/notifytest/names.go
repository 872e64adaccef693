package notifytest

import (
	"context"
	"net"
	"net/netip"
	"sync"
)

// Names is a name server whose answers can change from one query to the next.
type Names struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	errors  map[string]error
	asked   []string
}

// Set makes a name lead to these addresses. With several answers, each query gets the next one, and the last one stays.
func (n *Names) Set(name string, answers ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.answers == nil {
		n.answers = map[string][][]netip.Addr{}
	}
	n.answers[name] = answers
}

// Fail makes queries for a name end with an error.
func (n *Names) Fail(name string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.errors == nil {
		n.errors = map[string]error{}
	}
	n.errors[name] = err
}

// Lookup answers like net.Resolver.LookupNetIP. A name that was not set does not exist.
func (n *Names) Lookup(_ context.Context, _, name string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, name)
	if err := n.errors[name]; err != nil {
		return nil, err
	}
	answers := n.answers[name]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	if len(answers) > 1 {
		n.answers[name] = answers[1:]
	}
	return answers[0], nil
}

// Asked returns the names in all queries until now.
func (n *Names) Asked() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.asked...)
}

// ParseAddresses parses IP addresses; it panics on an invalid one.
func ParseAddresses(texts ...string) []netip.Addr {
	addresses := make([]netip.Addr, len(texts))
	for i, text := range texts {
		addresses[i] = netip.MustParseAddr(text)
	}
	return addresses
}
