package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyValue generates values as the parser makes them.
func anyValue(depth int) *rapid.Generator[Value] {
	kinds := []*rapid.Generator[Value]{
		rapid.Just(Value{}),
		rapid.Map(rapid.Bool(), func(on bool) Value { return Value{Kind: Bool, Text: strconv.FormatBool(on)} }),
		rapid.Map(rapid.SampledFrom([]string{"0", "-1", "1.50", "1e400", "9007199254740993", "-0.0"}),
			func(n string) Value { return Value{Kind: Number, Text: n} }),
		rapid.Map(rapid.String(), StringValue),
	}
	if depth > 0 {
		list := rapid.SliceOfN(rapid.Map(anyValue(depth-1), func(v Value) Member { return Member{Value: v} }), 1, 4)
		members := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Member {
			return Member{rapid.String().Draw(t, "key"), anyValue(depth-1).Draw(t, "value")}
		}), 1, 4)
		kinds = append(kinds,
			rapid.Just(Value{Kind: Array}), rapid.Just(Value{Kind: Object}),
			rapid.Map(list, func(kids []Member) Value { return Value{Kind: Array, Kids: kids} }),
			rapid.Map(members, func(kids []Member) Value { return Value{Kind: Object, Kids: kids} }))
	}
	return rapid.OneOf(kinds...)
}

func TestValueRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := anyValue(3).Draw(t, "value")
		text := want.AppendJSON([]byte("before"))[len("before"):]
		var got Value
		require.NoError(t, json.Unmarshal(text, &got), string(text))
		require.Equal(t, want, got)

		marshalled, err := json.Marshal(want)
		require.NoError(t, err)
		require.Equal(t, readTokens(t, text), readTokens(t, marshalled))
	})
}

func TestValueKeepsOrderAndLiterals(t *testing.T) {
	t.Parallel()
	const text = `{"z":1.50,"a":[true,false,null,"<b>\u2028",{}],"z":9007199254740993,"":[[],-0.0,1E+2]}`
	var v Value
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	require.Equal(t, text, string(v.AppendJSON(nil)))
	require.Equal(t, Value{Kind: Number, Text: "1.50"}, v.Get("z"), "the first of two")
	require.Equal(t, Array, v.Get("a").Kind)
	require.Equal(t, Value{}, v.Get("b"))
	require.Equal(t, Value{}, StringValue("a").Get("a"))
	require.Equal(t, Value{}, v.Get("a").Get(""), "the elements of an array have no keys")
}

func TestValueEmpty(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`null`: true, `{}`: true, `[]`: true,
		`""`: false, `0`: false, `false`: false, `[null]`: false, `{"a":null}`: false,
	} {
		var v Value
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		require.Equal(t, want, v.IsEmpty(), text)
	}
}

func TestValueReplacesWhatItHeld(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `[1]`, `{"b":2}`, `"x"`, `true`} {
		v := Value{Kind: Object, Text: "old", Kids: []Member{{"a", StringValue("old")}}}
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		require.Equal(t, text, string(v.AppendJSON(nil)))
	}
}

func TestValueOfBrokenJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `{`, `[1,`, `{"a"`, `{"a":`, `[1}`, `nul`, `{1:2}`} {
		var v Value
		require.Error(t, v.UnmarshalJSON([]byte(text)), text)
	}
}

// readTokens reads JSON as encoding/json does, with numbers as written.
func readTokens(t require.TestingT, text []byte) []json.Token {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var all []json.Token
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, token)
	}
}

// FuzzValue checks that a Value holds everything that encoding/json accepts, and writes it back token by token.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,"\ud800\u0000"],"a":null}`, `"\u2028<&>"`, `[[],{},1e999]`, ` {"b" : -0 } `, `{"`,
		"\"\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v Value
		if err := json.Unmarshal(text, &v); err != nil {
			require.False(t, json.Valid(text), err)
			return
		}
		written := v.AppendJSON(nil)
		require.True(t, json.Valid(written) && utf8.Valid(written), "%q", written)
		require.Equal(t, readTokens(t, text), readTokens(t, written))
		var again Value
		require.NoError(t, json.Unmarshal(written, &again))
		require.Equal(t, v, again)
	})
}

// requireSameString checks that the bytes become a JSON string that encoding/json reads as the same text.
func requireSameString(t *testing.T, s string) {
	t.Helper()
	written := appendString(nil, s)
	require.True(t, json.Valid(written) && utf8.Valid(written), "%q", written)
	standard, err := json.Marshal(s)
	require.NoError(t, err)
	var got, want string
	require.NoError(t, json.Unmarshal(written, &got))
	require.NoError(t, json.Unmarshal(standard, &want))
	require.Equal(t, want, got)
}

// The writer looks at groups of 8 bytes: each byte is tried at each place in a group and after it.
func TestAppendStringTakesEveryByteEverywhere(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for place := range 12 {
			text := []byte("twelve bytes")
			text[place] = byte(c)
			requireSameString(t, string(text))
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\\b\f\n\r\t\x00\x1f\x7f", "é日😀\u2028\ufffd", "\xff\xc3", "a\xe2\x82", "\xed\xa0\x80"} {
		f.Add(seed)
	}
	f.Fuzz(requireSameString)
}
