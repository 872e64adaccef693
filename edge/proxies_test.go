package edge

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProxiesAreCIDRs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " , ": "", "10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8, 192.168.7.1/32": "10.0.0.0/8,192.168.7.1/32",
		"fd00::1/8": "fd00::/8", "::ffff:10.0.0.0/104": "10.0.0.0/8", "0.0.0.0/0,::/0": "0.0.0.0/0,::/0",
	} {
		t.Run(text, func(t *testing.T) {
			proxies, err := ParseProxies(text)
			require.NoError(t, err)
			var got []string

			for _, prefix := range proxies {
				got = append(got, prefix.String())
			}

			require.Equal(t, want, strings.Join(got, ","))
		})
	}
	for _, text := range []string{
		"10.0.0.0/33", "10.0.0.1", "proxy.example", "10.0.0.0/8;10.1.0.0/16", "10.0.0/8", "fd00::/129", "fe80::1%eth0/64", "/8", "*",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseProxies(text)
			require.ErrorContains(t, err, "is not a CIDR")
		})
	}
}

func forwardedForOf(lines ...string) http.Header { return http.Header{"X-Forwarded-For": lines} }

func TestClientBehindProxies(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies("10.0.0.0/8, fd00::/8, 127.0.0.1/32")
	require.NoError(t, err)
	const peer = "10.0.0.1"
	forwarded := func(lines ...string) http.Header { return http.Header{"Forwarded": lines} }
	for _, c := range []struct {
		name, peer string
		header     http.Header
		want       string
	}{
		{"a peer that is no proxy", "203.0.113.9", forwardedForOf("198.51.100.4"), "203.0.113.9"},
		{"a peer beside the proxies", "11.0.0.1", forwarded("for=198.51.100.4"), "11.0.0.1"},
		{"nothing said", peer, http.Header{}, peer},
		{"one hop", peer, forwardedForOf("198.51.100.4"), "198.51.100.4"},
		{"what the client made up stands left", peer, forwardedForOf("1.2.3.4, 198.51.100.4"), "198.51.100.4"},
		{"trusted hops are skipped", peer, forwardedForOf("1.2.3.4, 198.51.100.4, 10.9.9.9,127.0.0.1"), "198.51.100.4"},
		{"several lines", peer, forwardedForOf("1.2.3.4", "198.51.100.4", "10.9.9.9"), "198.51.100.4"},
		{"only trusted hops", peer, forwardedForOf("10.0.0.7, 10.0.0.8"), "10.0.0.7"},
		{"an IPv4 port", peer, forwardedForOf("198.51.100.4:4711"), "198.51.100.4"},
		{"IPv6", peer, forwardedForOf("2001:db8::1"), "2001:db8::1"},
		{"IPv6 in brackets with a port", peer, forwardedForOf("[2001:db8::1]:443"), "2001:db8::1"},
		{"IPv4 in IPv6", peer, forwardedForOf("::ffff:198.51.100.4"), "198.51.100.4"},
		{"a trusted hop as IPv4 in IPv6", peer, forwardedForOf("198.51.100.4, ::ffff:10.2.3.4"), "198.51.100.4"},
		{"a peer as IPv4 in IPv6", "::ffff:10.0.0.1", forwardedForOf("198.51.100.4"), "198.51.100.4"},
		{"a peer with a zone", "fd00::1%eth0", forwardedForOf("198.51.100.4"), "198.51.100.4"},
		{"empty elements", peer, forwardedForOf("198.51.100.4,, ,"), "198.51.100.4"},
		{"unknown ends the search", peer, forwardedForOf("1.2.3.4, unknown, 10.0.0.7"), "10.0.0.7"},
		{"no address ends the search", peer, forwardedForOf("1.2.3.4, not an address"), peer},
		{"too many colons", peer, forwardedForOf("1.2.3.4, 198.51.100.4:1:2"), peer},
		{"an open bracket", peer, forwardedForOf("[2001:db8::1"), peer},
		{"behind a bracket", peer, forwardedForOf("[2001:db8::1]x"), peer},
		{"a quote of the client's", peer, forwardedForOf(`"1.2.3.4, 198.51.100.4`), "198.51.100.4"},

		{"RFC 7239", peer, forwarded("for=198.51.100.4"), "198.51.100.4"},
		{"other parameters", peer, forwarded(`proto=https;FOR="198.51.100.4:80";by=203.0.113.43;host="a;b,c"`), "198.51.100.4"},
		{"quoted IPv6", peer, forwarded(`for="[2001:db8:cafe::17]:4711"`), "2001:db8:cafe::17"},
		{"quoted IPv6 without a port", peer, forwarded(`for="[2001:db8:cafe::17]"`), "2001:db8:cafe::17"},
		{"a made-up port", peer, forwarded(`for="198.51.100.4:_gazonk"`), "198.51.100.4"},
		{"escapes", peer, forwarded(`for="198\.51.100.\4"`), "198.51.100.4"},
		{"spaces", peer, forwarded(`for=1.2.3.4 , for=198.51.100.4 ;proto=http`), "198.51.100.4"},
		{"trusted hops", peer, forwarded(`for=1.2.3.4, for=198.51.100.4, for="[fd00::7]:1"`, "for=10.3.3.3"), "198.51.100.4"},
		{"unknown", peer, forwarded("for=1.2.3.4, for=unknown"), peer},
		{"hidden", peer, forwarded("for=1.2.3.4, for=_hidden, for=10.0.0.7"), "10.0.0.7"},
		{"no for", peer, forwarded("for=1.2.3.4, proto=https"), peer},
		{"for twice", peer, forwarded("for=1.2.3.4;for=198.51.100.4"), peer},
		{"an open quote of the client's", peer, forwarded(`for=", for="[2001:db8::1]"`), "2001:db8::1"},
		{"an escaped quote of the client's", peer, forwarded(`for="\", for=198.51.100.4`), "198.51.100.4"},

		{"both headers", peer, http.Header{"X-Forwarded-For": {"198.51.100.4"}, "Forwarded": {"for=1.2.3.4"}}, "198.51.100.4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := &http.Request{RemoteAddr: netip.AddrPortFrom(netip.MustParseAddr(c.peer), 4711).String(), Header: c.header}
			require.Equal(t, c.want, proxies.clientOf(request).String(), c.name)
		})
	}
	request := &http.Request{RemoteAddr: "10.0.0.1:80", Header: forwardedForOf("198.51.100.4")}
	require.Equal(t, "10.0.0.1", Proxies(nil).clientOf(request).String(), "by default nobody is believed")
	require.False(t, proxies.clientOf(&http.Request{RemoteAddr: "@"}).IsValid())
}
