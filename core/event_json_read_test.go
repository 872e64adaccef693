package core

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReadEvent checks that events are read as encoding/json reads them, and that other texts than JSON are refused.
func FuzzReadEvent(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "title" : "a" , "extra": {"b": [1]} } `, `{"exceptions":[{"mechanism":null,"frames":[{"lineno":null,"source":{}}]}]}`,
		`{"exceptions":null,"request":null,"sdk":null,"title":null,"timestamp":null,"fingerprint":null,"threads":[]}`,
		`{"unknown":{"a":[1,2]},"level":"error"}`, `null`, `{`, `{"title":"a",}`, `{"exceptions":[{},]}`, `{"title" "a"}`, `[]`, `{} {}`,
		string(realEvent().AppendJSON(nil)),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want Event
		wantErr := json.Unmarshal(text, &want)

		got, err := ReadEvent(text)

		if !json.Valid(text) {
			require.Error(t, err, "%q", text)
		}
		// encoding/json takes keys in any case, and the last of repeated keys. AppendJSON writes neither.
		if err != nil || wantErr != nil || strings.ToLower(string(text)) != string(text) || hasRepeats(text) {
			return
		}
		require.Equal(t, string(want.AppendJSON(nil)), string(got.AppendJSON(nil)), "%q", text)
	})
}

// hasRepeats reports whether a key is repeated in any object.
func hasRepeats(text []byte) bool {
	var value Value
	if value.UnmarshalJSON(text) != nil {
		return true
	}
	return repeatsKey(value)
}

func repeatsKey(v Value) bool {
	seen := map[string]bool{}
	for _, kid := range v.Kids {
		if repeatsKey(kid.Value) || v.Kind == Object && seen[kid.Key] {
			return true
		}
		seen[kid.Key] = true
	}
	return false
}

// BenchmarkReadEvent compares ReadEvent with encoding/json.
func BenchmarkReadEvent(b *testing.B) {
	text := realEvent().AppendJSON(nil)
	b.Run("core", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ReadEvent(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			var e Event
			if err := json.Unmarshal(text, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
}
