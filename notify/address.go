package notify

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// specialPrefixes4 are the IPv4 addresses that are not on the internet: IANA's registry of special purposes, multicast,
// and reserved addresses. Cloud metadata is at 169.254.169.254; Azure's is also at an address that looks public.
var specialPrefixes4 = parsePrefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared by customers of a carrier; metadata of Alibaba Cloud
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // the platform of Azure, from inside its machines
	"169.254.0.0/16",   // link-local; metadata of most clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocols; metadata of Oracle Cloud
	"192.0.2.0/24",     // documentation
	"192.31.196.0/24",  // AS112
	"192.52.193.0/24",  // AMT
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"192.175.48.0/24",  // AS112
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
)

// Only global unicast addresses of IPv6 are on the internet, and not all of them. Loopback, unique-local (fc00::/7),
// link-local and multicast addresses are not, nor are IPv4 addresses in the old form ::127.0.0.1.
var (
	globalUnicast    = netip.MustParsePrefix("2000::/3")
	specialPrefixes6 = parsePrefixes(
		"2001::/23",         // protocols, such as Teredo, which embeds IPv4 addresses
		"2001:db8::/32",     // documentation
		"2002::/16",         // 6to4, which embeds IPv4 addresses
		"2620:4f:8000::/48", // AS112
		"3fff::/20",         // documentation
	)
	// nat64 embeds an IPv4 address in its last 4 bytes. In a network with only IPv6, every public receiver has such an
	// address. 64:ff9b:1::/48, which each network may use in its own way, is not public.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

func parsePrefixes(texts ...string) []netip.Prefix {
	prefixes := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		prefixes[i] = netip.MustParsePrefix(text)
	}
	return prefixes
}

// isPublic reports whether an address is on the internet. An IPv4 address inside an IPv6 one (::ffff:127.0.0.1,
// 64:ff9b::7f00:1) counts as itself.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	if nat64.Contains(addr) {
		embedding := addr.As16()
		addr = netip.AddrFrom4([4]byte(embedding[12:]))
	}
	if addr.Is4() {
		return !containsAddr(specialPrefixes4, addr)
	}
	return globalUnicast.Contains(addr) && !containsAddr(specialPrefixes6, addr)
}

func containsAddr(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// ParsePrivate reads WEBHOOK_ALLOW_PRIVATE: a comma-separated list of CIDRs, such as 10.1.0.0/16, fd00::/8, whose
// addresses may be called although they are not public.
func ParsePrivate(text string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(word)
		if err != nil {
			return nil, fmt.Errorf("must be a comma list of CIDRs, such as 10.1.0.0/16 or 127.0.0.1/32: %q is not a CIDR", word)
		}
		if prefix.Addr().Is4In6() && prefix.Bits() >= 96 { // addresses are compared as IPv4
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}
