package notify

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/stretchr/testify/require"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "2606:4700::1111": true, "100.63.255.255": true, "100.128.0.0": true, "172.32.0.1": true,
		"::ffff:8.8.8.8": true, "64:ff9b::808:808": true,

		"10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false,
		"127.0.0.1": false, "127.255.255.254": false, "0.0.0.0": false, "0.1.2.3": false,
		"169.254.169.254": false, "168.63.129.16": false, "100.100.100.200": false, "192.0.0.192": false, "fd00:ec2::254": false,
		"100.64.0.0": false, "100.127.255.255": false,
		"224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false,
		"192.0.2.1": false, "198.51.100.1": false, "203.0.113.1": false, "198.18.0.1": false, "198.19.255.255": false,
		"::": false, "::1": false, "fc00::1": false, "fdff::1": false, "fe80::1": false, "fe80::1%eth0": false, "2606:4700::1111%eth0": false,
		"fec0::1": false, "ff02::1": false, "2001:db8::1": false, "3fff::1": false, "100::1": false, "5f00::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"::ffff:0:127.0.0.1": false, "64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::808:808": false,
		"2002:7f00:1::": false, "2002:808:808::1": false, "2001:0:7f00:1::1": false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, isPublic(netip.MustParseAddr(text)))
		})
	}
	require.False(t, isPublic(netip.Addr{}))
}

// The test compares with a list that others keep in step with IANA's registry: every special address there is special here.
func TestSpecialPrefixesAreThoseOfTheRegistry(t *testing.T) {
	t.Parallel()
	registry := ssrf.New()
	for _, prefix := range append(append([]netip.Prefix{}, ssrf.IPv4DeniedPrefixes...), ssrf.IPv6DeniedPrefixes...) {
		require.False(t, isPublic(prefix.Addr()), prefix)
	}
	require.Equal(t, globalUnicast, ssrf.IPv6GlobalUnicast)
	random := rand.New(rand.NewPCG(1, 2))
	const samples = 200_000
	for range samples {
		var b [16]byte
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		for _, addr := range []netip.Addr{netip.AddrFrom4([4]byte(b[:4])), netip.AddrFrom16(b)} {
			if isPublic(addr) {
				require.NoError(t, registry.SafeAddr(addr))
			}
		}
	}
}

func TestParsePrivate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nothing":         {"", nil},
		"several":         {" 10.1.2.3/16, fd00::/8 ,", []string{"10.1.0.0/16", "fd00::/8"}},
		"IPv4 inside IP6": {"::ffff:10.0.0.0/104", []string{"10.0.0.0/8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefixes, err := ParsePrivate(test.text)

			require.NoError(t, err)
			var texts []string
			for _, p := range prefixes {
				texts = append(texts, p.String())
			}
			require.Equal(t, test.want, texts)
		})
	}
	for _, text := range []string{"10.0.0.1", "10.0.0.0/33", "localhost", "10.0.0.0/8;fd00::/8"} {
		_, err := ParsePrivate(text)
		require.ErrorContains(t, err, "is not a CIDR", text)
	}
}
