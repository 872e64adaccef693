package seal

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

const purpose = "webhooks.secret/42"

// testKey returns a key in base64 with one value for all bytes.
func testKey(fill byte) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune(fill)), keyBytes)))
}

func mustParse(t testing.TB, text string) *Ring {
	t.Helper()
	ring, invalid := ParseRing(core.Secret(text))
	require.Empty(t, invalid)
	return ring
}

func TestSealOpens(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, "k1:"+testKey('a'))

	for _, secret := range []core.Secret{"whsec_abc", "", core.Secret(strings.Repeat("x", 10_000)), "\x00\xff"} {
		sealed, err := ring.Seal(secret, purpose)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(sealed, "k1:"))
		if secret != "" {
			require.NotContains(t, sealed, secret.Reveal())
		}

		opened, err := ring.Open(sealed, purpose)
		require.NoError(t, err)
		require.Equal(t, secret.Reveal(), opened.Reveal())
	}
}

func TestSealIsNeverTheSame(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, "k1:"+testKey('a'))

	first, err := ring.Seal("same", purpose)
	require.NoError(t, err)
	second, err := ring.Seal("same", purpose)
	require.NoError(t, err)

	require.NotEqual(t, first, second)
}

func TestRotation(t *testing.T) {
	t.Parallel()
	before := mustParse(t, "k1:"+testKey('a'))
	during := mustParse(t, "k2:"+testKey('b')+", k1:"+testKey('a'))
	after := mustParse(t, "k2:"+testKey('b'))
	old, err := before.Seal("whsec_abc", purpose)
	require.NoError(t, err)
	require.False(t, before.IsOutdated(old))

	opened, err := during.Open(old, purpose)
	require.NoError(t, err)
	require.True(t, during.IsOutdated(old))
	renewed, err := during.Seal(opened, purpose)
	require.NoError(t, err)

	require.False(t, during.IsOutdated(renewed))
	require.True(t, strings.HasPrefix(renewed, during.NewestID()+":"))
	opened, err = after.Open(renewed, purpose)
	require.NoError(t, err)
	require.Equal(t, "whsec_abc", opened.Reveal())
	_, err = after.Open(old, purpose)
	require.ErrorIs(t, err, ErrUnknownKey)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, "k1:"+testKey('a'))
	other := mustParse(t, "k1:"+testKey('b'))
	sealed, err := ring.Seal("whsec_abc", purpose)
	require.NoError(t, err)
	changed := sealed[:20] + "A" + sealed[21:]
	if changed == sealed {
		changed = sealed[:20] + "B" + sealed[21:]
	}

	for name, test := range map[string]struct {
		ring          *Ring
		text, purpose string
		want          error
	}{
		"another purpose":        {ring, sealed, "webhooks.secret/43", ErrBroken},
		"no purpose":             {ring, sealed, "", ErrBroken},
		"another key of this id": {other, sealed, purpose, ErrBroken},
		"another id":             {ring, "k2" + sealed[2:], purpose, ErrUnknownKey},
		"cut short":              {ring, sealed[:len("k1:")+8], purpose, ErrBroken},
		"a changed byte":         {ring, changed, purpose, ErrBroken},
		"nothing":                {ring, "", purpose, ErrNotSealed},
		"only an id":             {ring, "k1:", purpose, ErrNotSealed},
		"a secret in the clear":  {ring, "whsec_abc", purpose, ErrNotSealed},
		"a URL in the clear":     {ring, "https://hooks.example/T0/secret", purpose, ErrNotSealed},
		"a line break":           {ring, sealed[:20] + "\n" + sealed[20:], purpose, ErrNotSealed},
		"a ring without keys":    {&Ring{}, sealed, purpose, ErrUnknownKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened, err := test.ring.Open(test.text, test.purpose)

			require.ErrorIs(t, err, test.want)
			require.Empty(t, opened.Reveal())
			require.NotContains(t, err.Error(), "secret")
			require.NotContains(t, err.Error(), "whsec")
		})
	}
}

func TestParseRing(t *testing.T) {
	t.Parallel()
	a, b := testKey('a'), testKey('b')
	urlKey := strings.NewReplacer("+", "-", "/", "_").Replace(base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\xfb", keyBytes))))
	short := base64.StdEncoding.EncodeToString([]byte("sixteen bytes!!!"))
	for name, test := range map[string]struct {
		text    string
		ids     []string
		invalid []string
	}{
		"nothing":                    {"", nil, nil},
		"one":                        {"k1:" + a, []string{"k1"}, nil},
		"newest first":               {"2026-11:" + b + ",2025-01:" + a, []string{"2026-11", "2025-01"}, nil},
		"spaces and a comma too far": {" k1 : " + a + " , ,", []string{"k1"}, nil},
		"no padding":                 {"k1:" + strings.TrimRight(a, "="), []string{"k1"}, nil},
		"the alphabet of URLs":       {"k1:" + urlKey, []string{"k1"}, nil},
		"a key that is too short":    {"k1:" + short + ",k2:" + b, []string{"k2"}, []string{"k1"}},
		"not base64":                 {"k1:no key!,k2:" + b, []string{"k2"}, []string{"k1"}},
		"no key":                     {"k1,k2:" + b, []string{"k2"}, []string{"k1"}},
		"an id twice":                {"k1:" + a + ",k1:" + b, []string{"k1"}, []string{"k1"}},
		"a key without an id":        {a + ",k2:" + b, []string{"k2"}, []string{"#1"}},
		"an empty id":                {"k2:" + b + ",:" + a, []string{"k2"}, []string{"#2"}},
		"key and id the wrong way":   {a + ":k1", nil, []string{"#1"}},
		"an id with odd characters":  {"k\x1b[1m:" + a, nil, []string{"#1"}},
		"a colon in the key":         {"k1:" + a + ":x", nil, []string{"k1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ring, invalid := ParseRing(core.Secret(test.text))

			var ids []string
			for _, k := range ring.keys {
				ids = append(ids, k.id)
			}
			require.Equal(t, test.ids, ids)
			require.Equal(t, test.invalid, invalid)
			require.Equal(t, len(ids) > 0, ring.CanSeal())
			if !ring.CanSeal() {
				_, err := ring.Seal("x", purpose)
				require.ErrorIs(t, err, ErrNoKey)
				require.Empty(t, ring.NewestID())
				require.False(t, ring.IsOutdated("k1:AAAA"))
			}
		})
	}
}

func FuzzOpen(f *testing.F) {
	ring := mustParse(f, "k1:"+testKey('a')+",k0:"+testKey('b'))
	sealed, err := ring.Seal("whsec_abc", purpose)
	require.NoError(f, err)
	f.Add(sealed)
	f.Add("k0:" + sealed[3:])
	f.Add("k1:")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		opened, err := ring.Open(text, purpose)

		if err == nil { // only texts from Seal open: each process of the fuzzer has made its own
			require.Equal(t, "whsec_abc", opened.Reveal())
			return
		}
		require.Empty(t, opened.Reveal())
	})
}

func FuzzParseRing(f *testing.F) {
	f.Add("k1:" + testKey('a') + ",bad:x")
	f.Fuzz(func(t *testing.T, text string) {
		ring, invalid := ParseRing(core.Secret(text))

		for _, name := range invalid {
			require.LessOrEqual(t, len(name), maxIDLength)
		}
		if !ring.CanSeal() {
			return
		}
		sealed, err := ring.Seal("x", purpose)
		require.NoError(t, err)
		opened, err := ring.Open(sealed, purpose)
		require.NoError(t, err)
		require.Equal(t, "x", opened.Reveal())
	})
}
