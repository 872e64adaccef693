package edge

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"errand/wire"
)

// Proxies are the addresses of the proxies in front of the server (TRUSTED_PROXIES). Only they are believed about where a request
// came from.
type Proxies []netip.Prefix

// ParseProxies reads a comma-separated list of CIDRs, such as 10.0.0.0/8, fd00::/8.
func ParseProxies(text string) (Proxies, error) {
	var proxies Proxies
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(word)
		if err != nil {
			return nil, fmt.Errorf("must be a comma list of CIDRs, such as 10.0.0.0/8 or 127.0.0.1/32: %q is not a CIDR", word)
		}
		if prefix.Addr().Is4In6() && prefix.Bits() >= 96 { // addresses are compared as IPv4
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

func (p Proxies) containsAddress(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(address) })
}

// clientOf returns the address that made the request: the peer's, or, when the peer is a trusted proxy, the first one from the
// right that is not a trusted proxy's. It is the zero address when the peer has none. A hop that does not name its sender ends
// the search, because anybody can have written the part to its left: then the client is the proxy that wrote this hop.
//
// X-Forwarded-For wins when both headers are there: most proxies set that one, and pass on a Forwarded that the client has made
// up.
func (p Proxies) clientOf(r *http.Request) netip.Addr {
	client := wire.AddressOf(r.RemoteAddr)
	if !p.containsAddress(client) {
		return client
	}
	lines, read := r.Header.Values("X-Forwarded-For"), parseNode
	if len(lines) == 0 {
		lines, read = r.Header.Values("Forwarded"), forwardedFor
	}
	for _, line := range slices.Backward(lines) {
		for element := ""; line != ""; {
			if line, element = cutLast(line, ','); strings.TrimSpace(element) == "" {
				continue
			}
			address := read(element)
			if !address.IsValid() {
				return client
			}
			if client = address; !p.containsAddress(client) {
				return client
			}
		}
	}
	return client
}

// cutLast cuts a text at the last separator outside of quotes. From the right, the parts that a trusted proxy added are read
// before anything that was sent to it, so that an open quote of a client hides nothing.
func cutLast(text string, separator byte) (before, last string) {
	quoted := false
	for i := len(text) - 1; i >= 0; i-- {
		switch {
		case text[i] == '"' && !isEscaped(text, i):
			quoted = !quoted
		case text[i] == separator && !quoted:
			return text[:i], text[i+1:]
		}
	}
	return "", text
}

// isEscaped reports whether an odd number of backslashes stands before a position.
func isEscaped(text string, at int) bool {
	before := strings.TrimRight(text[:at], `\`)
	return (at-len(before))%2 == 1
}

// forwardedFor returns the address in the parameter "for" of an element of Forwarded (RFC 7239), such as
// for="[2001:db8::1]:4711";proto=https. It is the zero address when there is none.
func forwardedFor(element string) netip.Addr {
	var found netip.Addr
	for pair := ""; element != ""; {
		element, pair = cutLast(element, ';')
		name, value, _ := strings.Cut(pair, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "for") {
			continue
		}
		if found.IsValid() { // "for" appears twice
			return netip.Addr{}
		}
		if found = parseNode(unquoteText(value)); !found.IsValid() {
			return found
		}
	}
	return found
}

// unquoteText returns the content of a quoted string; other text stays as it is.
func unquoteText(text string) string {
	text = strings.TrimSpace(text)
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	var plain strings.Builder
	for i := 1; i < len(text)-1; i++ {
		if text[i] == '\\' && i+1 < len(text)-1 {
			i++
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}

// parseNode reads an address with or without a port, which may be made up (RFC 7239, 6). It returns the zero address for
// "unknown" and for names that a proxy has made up, such as _hidden.
func parseNode(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if inside, ok := strings.CutPrefix(text, "["); ok {
		address, port, closed := strings.Cut(inside, "]")
		if !closed || port != "" && port[0] != ':' {
			return netip.Addr{}
		}
		return wire.ParseAddress(address)
	}
	if strings.Count(text, ":") == 1 {
		text, _, _ = strings.Cut(text, ":")
	}
	return wire.ParseAddress(text)
}
