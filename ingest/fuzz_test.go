package ingest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzUnpack: for any body, the unpacker stays within its room and works for the next body.
func FuzzUnpack(f *testing.F) {
	for _, encoding := range []string{"", "gzip", "deflate", "br", "zstd"} {
		for _, seed := range []string{"", "{}", "eJyrVspNLS5OTE9VslJKys/PVaoFADnYBdo=", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd\x04\x58",
			"\x78\x9c\x03", "\x0b\x02\x80{}\n\x03"} {
			f.Add([]byte(seed), encoding, false)
			f.Add([]byte(seed), encoding, true)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, encoding string, wrapped bool) {
		const room = 4096
		u := new(unpacker)
		for range 2 { // the second time on the leftovers of the first
			text, err := u.unpackBody(packedBody{body: body, encoding: encoding}, room)
			if err == nil && wrapped {
				text, err = u.unwrapBase64(text, room)
			}
			if err == nil && (encoding != "" || wrapped) && len(body) <= room {
				require.LessOrEqual(t, len(text), room)
			}
			if errors.Is(err, errOutgrown) {
				require.Nil(t, text)
			}
		}
	})
}

func FuzzParseAuth(f *testing.F) {
	f.Add("Sentry sentry_version=7, sentry_key=abc, sentry_client=x/1")
	f.Add(`sentry sentry_key="abc"`)
	f.Fuzz(func(t *testing.T, header string) {
		c := parseAuth(header)
		require.Contains(t, header, c.key)
		require.Contains(t, header, c.sdk)
	})
}
