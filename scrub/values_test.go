package scrub

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tokens here are put together, so that scanners of the repository do not report them.
const fillerText = "0a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8a9B0c1D2e3F4a5B6c7D8e9F0a1B"

func TestProviders(t *testing.T) {
	t.Parallel()
	r := DefaultRules()
	require.Greater(t, len(providers), 250)
	require.Less(t, len(candidates), 256, "a list has a number of one byte")
	for _, p := range providers {
		set := p.chars
		if p.minAfter == 0 {
			set = alnumSet
		}
		front, back := fittingText(set, p.minBefore), fittingText(set, p.minAfter)
		token := front + p.mark + back
		require.Equal(t, Mask, r.ScrubText(token), p.mark)
		require.Equal(t, "got ("+Mask+") there", r.ScrubText("got ("+token+") there"), p.mark)
		require.Equal(t, "x,"+Mask+"&y", r.ScrubText("x,"+token+"&y"), p.mark)
		if hasOther(p.mark) { // a token of another kind begins inside
			continue
		}
		if p.minBefore > 0 {
			require.Equal(t, token[2:], r.ScrubText(token[2:]), "too short: %s", token[2:])
			continue
		}
		require.Equal(t, "x"+token, r.ScrubText("x"+token), "in a word: %s", p.mark)
		if p.minAfter > 13 { // a shorter one has another kind's form
			require.Equal(t, token[:len(token)-2], r.ScrubText(token[:len(token)-2]), "too short: %s", p.mark)
		}
	}
}

func hasOther(mark string) bool {
	for _, p := range providers {
		if i := strings.LastIndex(mark, p.mark); i > 0 && !isAlnum(mark[i-1]) || i == 0 && mark != p.mark {
			return true
		}
	}
	return strings.Contains(mark, "eyJ") || strings.Contains(mark, "$")
}

// fittingText returns n bytes of a set in the order of a random text.
func fittingText(set *[256]bool, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if c := fillerText[i%len(fillerText)]; set[c] {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func TestOwnTokens(t *testing.T) {
	t.Parallel()
	token := fillerText[:43]
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"used ck_" + token + " twice", "used * twice"},
		{"cks_" + token, "*"},
		{"whsec_ab+/" + token[:20] + "=", "*"},
		{"ck_short", "ck_short"},
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	jwt := "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0.abc-def_g"
	hex := strings.ToLower(fillerText[:32])
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"sent " + jwt + ".", "sent *."},
		{jwt[:30], "*"},
		{"eyJub3QiOjF9", "eyJub3QiOjF9"},
		{"Bearer abc123def", "Bearer *"},
		{"bearer: abc", "bearer: abc"},
		{"got BEARER abc.def-ghi from x", "got BEARER * from x"},
		{"Bearer%20abc123def&x", "Bearer%20*&x"},
		{"Basic dXNlcjpwYXNz x", "Basic * x"},
		{"basic dXNlcjpwYXNzd29yZA==", "basic *"},
		{"Basic authentication required", "Basic authentication required"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "*"},
		{`key: "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n" ok`, `key: "*\n" ok`},
		{"x -----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb", "x *"},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx\n-----END PGP PRIVATE KEY BLOCK----- y", "* y"},
		{"Blb\n-----END EC PRIVATE KEY----- y", "* y"},
		{"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----"},
		{"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"},
		{"110201543:AA" + fillerText[:33], "*"},
		{"MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ." + fillerText[:27] + " x", "* x"},
		{hex + "-us12", "*"},
		{hex, hex},
		{"commit " + fillerText[:40], "commit " + fillerText[:40]},
		{"0f8fad5b-d9cb-469f-a165-70867728950e", "0f8fad5b-d9cb-469f-a165-70867728950e"},
		{"sk-loading-circle-container-large", "sk-loading-circle-container-large"},
		{"npm_package_dev_dependencies_typescript_version", "npm_package_dev_dependencies_typescript_version"},
		{"https://user:pass@example.com:8080/a", "https://*@example.com:8080/a"},
		{"pg://matt:secret@localhost/1 and redis://r:s@h", "pg://*@localhost/1 and redis://*@h"},
		{"https://token@example.com", "https://*@example.com"},
		{"postgres://u:p/s#s@host/db", "postgres://*@host/db"},
		{"https://example.com/@user", "https://example.com/@user"},
		{"https://hooks.slack.com/services/T0/B0/xyz ok", "https://hooks.slack.com/services/* ok"},
		{"https://discord.com/api/webhooks/1/ab-c", "https://discord.com/api/webhooks/*"},
		{"root:pw@tcp(localhost:3306)/db", "*@tcp(localhost:3306)/db"},
		{"jdbc:oracle:thin:scott/tiger@//h:1521/x", "*@//h:1521/x"},
		{"url=jdbc:oracle:thin:a/b@h:1521:x", "url=jdbc:oracle:thin:a/b@h:1521:x"},
		{"jdbc:oracle:thin:a/b@h:1521:x", "*@h:1521:x"},
		{"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b+c/d==;EndpointSuffix=x",
			"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=*;EndpointSuffix=x"},
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"4111111111111111", "*"},
		{"5555555555554444 and 378282246310005 and 6011111111111117", "* and * and *"},
		{"30569309025904, 3530111333300000, 6200000000000005, 2223003122003222", "*, *, *, *"},
		{"4111 1111 1111 1111", "*"},
		{"4111-1111-1111-1111", "*"},
		{"4111\u00a01111\u00a01111\u00a01111", "*"},
		{"3782 822463 10005", "*"},
		{"4111 1111 1111 1111 2024", "* 2024"},
		{"4111111111111111 12/26", "* 12/26"},
		{"1234 4111 1111 1111 1111", "1234 *"},
		{"card=%204111111111111111&b", "card=%20*&b"},
		{"q=a%2F4111+1111+1111+1111", "q=a%2F*"},
		{"'4111111111111111'", "'*'"},
		{"ssn 078-05-1120.", "ssn *."},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"4111111111111112", "1700000000123", "1700000000123456", "1700000000123456789", "9999999999999995", "0.4111111111111111",
		"a4111111111111111", "4111111111111111b", "4111111111111111000", "4111 11111111 1111", "41 11 11 11 11 11 11 11", "order 7423789 of 12",
		"000-12-3456", "666-12-3456", "912-34-5678", "123-00-4567", "123-45-0000", "1123-45-6789", "123-45-67890", "555-123-4567", "2024-01-02",
	)
}

func TestTriggersAreRare(t *testing.T) {
	t.Parallel()
	for b, what := range triggers[suspicionSets-1] {
		if what != noTrigger && b != 'b' && b != 'p' && b != 'v' {
			require.False(t, isLower(byte(b)), "the scan would stop at every %c", b)
		}
	}
}
