package core

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReadValue checks that values are read as encoding/json reads them.
func FuzzReadValue(f *testing.F) {
	for _, text := range []string{
		`null`, ` true `, `-1.5e+3`, `12345678901234567890`, `"a\u00e9\ud83d\ude00\ud800 \" \\ \/"`, "\"\xff\"", "\"\x01\"", `[]`, `{}`,
		`[1, [2], {"a": null, "a": "b"}]`, `{"b":1,"a":{"c":[true,false]}}`, `[1,]`, `{"a"}`, `{"a":}`, `[1 2]`, `01`, `-`,
		`"`, `"\`, `nul`, `{`, `[`, `1 1`,
		strings.Repeat("[", 200) + strings.Repeat("]", 200),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v Value
		err := v.UnmarshalJSON(text)

		require.Equal(t, json.Valid(text), err == nil, "%q", text)
		if err != nil {
			return
		}
		var want, got any
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&want))
		dec = json.NewDecoder(bytes.NewReader(v.AppendJSON(nil)))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&got))
		require.Equal(t, want, got)
	})
}
