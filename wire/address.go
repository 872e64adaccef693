package wire

import (
	"net"
	"net/http"
	"net/netip"
)

// ClientOf returns the address of a request's client, without the port. It is the zero address when the client has
// none, as over a Unix socket.
func ClientOf(r *http.Request) netip.Addr { return AddressOf(r.RemoteAddr) }

// AddressOf returns the address in host:port or in a host.
func AddressOf(remote string) netip.Addr {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return ParseAddress(host)
}

// ParseAddress reads an address in its simplest form: IPv4 in IPv6 becomes IPv4, and a zone, which is local, is
// dropped. Any other text is the zero address.
func ParseAddress(text string) netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

// NetworkOf returns the network of one sender: an IPv4 address, or all IPv6 addresses with the same first 64 bits.
func NetworkOf(address netip.Addr) netip.Addr {
	if !address.Is6() {
		return address
	}
	prefix, _ := address.Prefix(64) // an IPv6 address has 64 bits
	return prefix.Addr()
}

// WriteAddress returns an address as text; empty for the zero address.
func WriteAddress(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}
