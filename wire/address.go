package wire

import (
	"net"
	"net/http"
	"net/netip"
)

// ClientOf returns the address of the client of a request, without its port. It is the zero address when the client has
// none, as one at a Unix socket.
func ClientOf(r *http.Request) netip.Addr { return AddressOf(r.RemoteAddr) }

// AddressOf returns the address in host:port, or of a host alone.
func AddressOf(remote string) netip.Addr {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return ParseAddress(host)
}

// ParseAddress reads an address in its plainest form: IPv4 in IPv6 is IPv4, and a zone means nothing to others. Any other
// text is the zero address.
func ParseAddress(text string) netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

// NetworkOf returns what one sender has: an IPv4 address, or all addresses of IPv6 with the same first 64 bits.
func NetworkOf(address netip.Addr) netip.Addr {
	if !address.Is6() {
		return address
	}
	prefix, _ := address.Prefix(64) // 64 bits are always there
	return prefix.Addr()
}

// WriteAddress returns an address as text, empty for the zero address.
func WriteAddress(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}
