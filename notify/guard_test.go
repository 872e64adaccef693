package notify_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/notify"
	"errand/notify/notifytest"
)

// testNames is a name server with a name of each kind.
func testNames() *notifytest.Names {
	names := &notifytest.Names{}
	names.Set("hooks.example.com", notifytest.ParseAddresses("8.8.8.8", "2606:4700::1111"))
	names.Set("xn--bcher-kva.example", notifytest.ParseAddresses("8.8.8.8"))
	names.Set("under_score.example.com", notifytest.ParseAddresses("8.8.8.8"))
	names.Set("nat64.example.com", notifytest.ParseAddresses("64:ff9b::808:808"))
	names.Set("private.example.com", notifytest.ParseAddresses("10.0.0.1"))
	names.Set("mixed.example.com", notifytest.ParseAddresses("8.8.8.8", "10.0.0.1"))
	names.Set("mixed6.example.com", notifytest.ParseAddresses("8.8.8.8", "::1"))
	names.Set("metadata.example.com", notifytest.ParseAddresses("169.254.169.254"))
	names.Set("mapped.example.com", notifytest.ParseAddresses("::ffff:127.0.0.1"))
	names.Set("public.internal", notifytest.ParseAddresses("8.8.8.8"))
	names.Set("runner.internal", notifytest.ParseAddresses("10.1.0.5"))
	for _, name := range []string{"localhost", "printer.local", "errand.home.arpa", "local"} {
		names.Set(name, notifytest.ParseAddresses("8.8.8.8"))
	}
	names.Fail("slow.example.com", &net.DNSError{Err: "i/o timeout", Name: "slow.example.com", IsTimeout: true})
	return names
}

func TestCheckURLAccepts(t *testing.T) {
	t.Parallel()
	guard := &notify.Guard{Lookup: testNames().Lookup}
	for text, want := range map[string]string{
		"https://hooks.example.com/errand?x=1":      "https://hooks.example.com/errand?x=1",
		"https://hooks.example.com":                 "https://hooks.example.com",
		"HTTPS://Hooks.Example.COM./Path":           "https://hooks.example.com/Path",
		"https://hooks.example.com:8443/":           "https://hooks.example.com:8443/",
		"https://xn--bcher-kva.example/":            "https://xn--bcher-kva.example/",
		"https://under_score.example.com/":          "https://under_score.example.com/",
		"https://nat64.example.com/":                "https://nat64.example.com/",
		"https://8.8.8.8/":                          "https://8.8.8.8/",
		"https://8.8.8.8./":                         "https://8.8.8.8/",
		"https://[2606:4700:0::1111]:443/":          "https://[2606:4700::1111]:443/",
		"https://hooks.example.com/a%20b/%2e%2e/c ": "",
		"https://hooks.example.com/a%20b/@x:y":      "https://hooks.example.com/a%20b/@x:y",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := guard.CheckURL(t.Context(), text)

			if want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

// refusedURLs are URLs that are never called, each with its error.
var refusedURLs = map[string]string{
	"":                         "must be a URL",
	"hooks.example.com":        "must be a URL",
	"https:hooks.example.com":  "must be a URL",
	"https:///path":            "must be a URL",
	"https://exa%6dple.com/":   "must be a URL",
	"//hooks.example.com/":     "must begin with https",
	"ftp://hooks.example.com/": "must begin with https",
	"file:///etc/passwd":       "must be a URL",
	"javascript:alert(1)":      "must be a URL",
	"http://hooks.example.com": "must begin with https",
	"http://127.0.0.1/":        "must begin with https",

	"https://user:password@hooks.example.com/": "no user",
	"https://user@hooks.example.com/":          "no user",
	"https://@hooks.example.com/":              "no user",
	"https://hooks.example.com@127.0.0.1/":     "no user",
	"https://hooks.example.com\\@127.0.0.1/":   "backslashes",
	"https://hooks.example.com/#frag":          "fragment",
	"https://hooks.example.com/#":              "fragment",
	"https://hooks.example.com/a b":            "spaces",
	"https://hooks.example.com/\r\nx: y":       "control",
	" https://hooks.example.com/":              "spaces",
	"https://hooks.example.com:0/":             "port",
	"https://hooks.example.com:65536/":         "port",
	"https://hooks.example.com:/":              "port",
	"https://hooks.example.com:https/":         "must be a URL",

	"https://localhost/":         "private networks",
	"https://LOCALHOST./":        "private networks",
	"https://a.localhost/":       "private networks",
	"https://printer.local/":     "private networks",
	"https://Printer.LOCAL.:80/": "private networks",
	"https://local/":             "private networks",
	"https://public.internal/":   "private networks",
	"https://errand.home.arpa/":  "private networks",

	"https://127.0.0.1/":                "not a public address",
	"https://127.0.0.1./":               "not a public address",
	"https://169.254.169.254/latest":    "not a public address",
	"https://[::1]/":                    "not a public address",
	"https://[::ffff:127.0.0.1]/":       "not a public address",
	"https://[0:0:0:0:0:ffff:7f00:1]/":  "not a public address",
	"https://[64:ff9b::127.0.0.1]/":     "not a public address",
	"https://[2002:7f00:1::]/":          "not a public address",
	"https://[fd00::1]/":                "not a public address",
	"https://private.example.com/":      "not a public address",
	"https://mixed.example.com/":        "not a public address",
	"https://mixed6.example.com/":       "not a public address",
	"https://metadata.example.com/":     "not a public address",
	"https://mapped.example.com/":       "not a public address",
	"https://[fe80::1%25eth0]/":         "plain IP address",
	"https://[2606:4700::1111%25eth0]/": "plain IP address",

	"https://0x7f.1/":              "plain IP address",
	"https://0x7f000001/":          "plain IP address",
	"https://2130706433/":          "plain IP address",
	"https://127.1/":               "plain IP address",
	"https://0177.0.0.1/":          "plain IP address",
	"https://127.0.0.01/":          "plain IP address",
	"https://127.0.0.1.1/":         "plain IP address",
	"https://hooks.example.123/":   "plain IP address",
	"https://hooks.example.0x1f./": "plain IP address",
	"https://0X7F.0.0.0x1/":        "plain IP address",

	"https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/":       "ASCII",
	"https://127。0。0。1/":                                     "ASCII",
	"https://ⓛocalhost/":                                     "ASCII",
	"https://localhost。/":                                    "ASCII",
	"https://bücher.example/":                                "ASCII",
	"https://%E2%93%9Bocalhost/":                             "ASCII",
	"https://hooks..example.com/":                            "valid host name",
	"https://hooks.example.com../":                           "valid host name",
	"https://./":                                             "valid host name",
	"https://-x.example.com/":                                "valid host name",
	"https://a*b.example.com/":                               "valid host name",
	"https://exam\u00adple.com/":                             "ASCII",
	"https://unknown.example.com/":                           "has no address",
	"https://slow.example.com/":                              "does not answer",
	"https://" + strings.Repeat("a", 64):                     "valid host name",
	"https://" + strings.Repeat("a.", 127) + "example":       "at most",
	"https://hooks.example.com/" + strings.Repeat("a", 2048): "at most",
}

func TestCheckURLRefuses(t *testing.T) {
	t.Parallel()
	guard := &notify.Guard{Lookup: testNames().Lookup}
	for text, why := range refusedURLs {
		t.Run(text[:min(len(text), 50)], func(t *testing.T) {
			t.Parallel()
			got, err := guard.CheckURL(t.Context(), text)

			var refused *notify.URLError
			require.ErrorAs(t, err, &refused)
			require.Empty(t, got)
			require.ErrorContains(t, err, why)
			require.Equal(t, strings.Contains(why, "address") && strings.HasPrefix(why, "has") || why == "does not answer", refused.Unresolved)
		})
	}
}

// WEBHOOK_ALLOW_PRIVATE opens the addresses that it names, and no others.
func TestCheckURLOfPrivateReceivers(t *testing.T) {
	t.Parallel()
	private, err := notify.ParsePrivate("10.1.0.0/16,fd00:1::/32")
	require.NoError(t, err)
	guard := &notify.Guard{Lookup: testNames().Lookup, Private: private}
	for text, accepted := range map[string]bool{
		"https://10.1.0.5/": true, "http://10.1.0.5:9000/": true, "https://[fd00:1::5]/": true, "https://[::ffff:10.1.0.5]/": true,
		"https://runner.internal/": true, "http://runner.internal:9000/hook": true, "https://hooks.example.com/": true,

		"https://10.2.0.5/": false, "http://10.2.0.5/": false, "https://127.0.0.1/": false, "https://private.example.com/": false,
		"https://mixed.example.com/": false, "http://hooks.example.com/": false, "http://8.8.8.8/": false,
		"https://public.internal/": false, "https://user@10.1.0.5/": false, "https://10.1.5/": false, "ftp://10.1.0.5/": false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := guard.CheckURL(t.Context(), text)

			require.Equal(t, accepted, err == nil, err)
		})
	}
}

func TestCheckURLEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	guard := &notify.Guard{Lookup: func(context.Context, string, string) ([]netip.Addr, error) {
		cancel()
		return nil, errors.New("cut off")
	}}

	_, err := guard.CheckURL(ctx, "https://hooks.example.com/")

	require.ErrorIs(t, err, context.Canceled)
}

// A secret in a receiver's URL does not appear in an error.
func TestCheckURLRepeatsNoSecret(t *testing.T) {
	t.Parallel()
	guard := &notify.Guard{Lookup: testNames().Lookup}
	for _, start := range []string{
		"http://hooks.example.com", "https://u:topsecret@hooks.example.com", "https://private.example.com", "https://127.0.0.1", "ftp://x",
		"https://slow.example.com", "https://unknown.example.com", "https://0x7f.1", "https://%zz", "https://hooks.example.com:99999",
	} {
		_, err := guard.CheckURL(t.Context(), start+"/topsecret?token=topsecret")
		require.Error(t, err)
		require.NotContains(t, err.Error(), "topsecret", start)
	}
}

// FuzzCheckURL checks that an accepted URL means the same to net/http as to the check, and that a second check agrees.
func FuzzCheckURL(f *testing.F) {
	for _, text := range []string{
		"https://hooks.example.com/a?b=c", "https://[2606:4700::1111]:443/", "https://0x7f.1/", "https://[::ffff:127.0.0.1]/",
		"https://127.0.0.1/", "https://a:b@c/", "https://8.8.8.8.:1/%2f..", "HTTPS://X./", "https://1.1.1.1\\@2.2.2.2/",
	} {
		f.Add(text)
	}
	names := testNames()
	f.Fuzz(func(t *testing.T, text string) {
		asked := ""
		guard := &notify.Guard{Lookup: func(_ context.Context, _, name string) ([]netip.Addr, error) {
			asked = name
			if found, err := names.Lookup(t.Context(), "ip", name); err == nil {
				return found, nil
			}
			return notifytest.ParseAddresses("1.1.1.1"), nil
		}}
		got, err := guard.CheckURL(t.Context(), text)
		if err != nil {
			require.Empty(t, got)
			return
		}

		parsed, err := url.Parse(got)
		require.NoError(t, err)
		require.Equal(t, "https", parsed.Scheme)
		require.Nil(t, parsed.User)
		require.Empty(t, parsed.Fragment)
		host := parsed.Hostname()
		if asked == "" {
			addr, err := netip.ParseAddr(host)
			require.NoError(t, err)
			addr = addr.Unmap()
			require.False(t, addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified())
		} else {
			require.Equal(t, asked, host)
			require.NotContains(t, []string{"localhost", "private.example.com", "mixed.example.com", "runner.internal"}, host)
		}
		again, err := guard.CheckURL(t.Context(), got)
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}
