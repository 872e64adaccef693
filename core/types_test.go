package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// clock is the time of the tests: finer than a millisecond, and not in UTC.
func clock() time.Time {
	return time.Date(2026, 1, 3, 19, 22, 50, 123_900_000, time.FixedZone("CET", 3600))
}

func TestTimeOnTheWire(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]Time{
		`"2026-01-03T18:22:50.123Z"`: At(clock()),
		`"2026-01-03T18:22:50.000Z"`: At(clock().Truncate(time.Second)),
		`null`:                       At(time.Time{}),
	} {
		got, err := json.Marshal(at)
		require.NoError(t, err)
		require.Equal(t, want, string(got))

		back := At(clock().Add(time.Hour))
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, at.IsZero(), back.IsZero())
		require.True(t, at.Truncate(time.Millisecond).Equal(back.Time))
	}
	var read Time
	require.NoError(t, json.Unmarshal([]byte(`"2026-01-03T19:22:50.1239+01:00"`), &read))
	require.Equal(t, At(clock()), read, "any offset and precision, kept in UTC and milliseconds")
	require.Error(t, json.Unmarshal([]byte(`"2026-01-03"`), &read))
	require.Error(t, json.Unmarshal([]byte(`1767464570`), &read))
}

func TestTimeHasTheLayoutOfTheWire(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first, last := time.Date(1, 1, 1, 0, 0, 0, 1e6, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
		std := time.Unix(rapid.Int64Range(first, last).Draw(t, "seconds"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds"))
		got, err := json.Marshal(At(std))
		require.NoError(t, err)
		if at := At(std); !at.IsZero() {
			require.Equal(t, std.UTC().Format(`"`+TimeLayout+`"`), string(got))
		}
	})
	for _, year := range []int{-1, 0, 10_000, 292_000} {
		require.True(t, At(time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)).IsZero(), "the wire has no form for %d", year)
	}
	require.True(t, At(time.Date(10_000, 1, 1, 0, 30, 0, 0, time.FixedZone("", 3600))).Year() == 9999, "by its year in UTC")
}

func TestTimeInTheDatabase(t *testing.T) {
	t.Parallel()
	var at Time
	require.NoError(t, at.Scan(clock()))
	require.Equal(t, At(clock()), at)
	value, err := at.Value()
	require.NoError(t, err)
	require.Equal(t, at.Time, value)

	require.NoError(t, at.Scan(nil))
	require.True(t, at.IsZero())
	value, err = at.Value()
	require.NoError(t, err)
	require.Nil(t, value)

	require.EqualError(t, at.Scan("2026-01-03"), "core.Time cannot hold a string")
}

// Absent values are null, and nothing is escaped unless JSON requires it.
func TestAbsentValuesAreNull(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`{"a":null}`:        map[string]any{"a": Untrusted("")},
		`{"a":"<b> & \""}`:  map[string]any{"a": Untrusted(`<b> & "`)},
		`{"b":null}`:        map[string]any{"b": Text("")},
		`{"b":"<a@b>"}`:     map[string]any{"b": Text("<a@b>")},
		`{"c":null}`:        map[string]any{"c": OptInt(0)},
		`{"c":-7}`:          map[string]any{"c": OptInt(-7)},
		`{"d":[]}`:          map[string]any{"d": List[int](nil)},
		`{"d":["<",""]}`:    map[string]any{"d": List[Untrusted]{"<", ""}},
		`{"e":null}`:        map[string]any{"e": Cursor("")},
		`{"e":"abc"}`:       map[string]any{"e": Cursor("abc")},
		`{"f":"\ufffd"}`:    map[string]any{"f": Untrusted("\xff")},
		`{"g":{"data":[]}}`: map[string]any{"g": Data[List[Token]]{}},
	} {
		got, err := MarshalPlain(v)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	_, err := MarshalPlain(List[any]{func() {}})
	require.Error(t, err, "what JSON cannot hold is an error, not an empty list")
}

func TestNullableTypesReadWhatTheyWrite(t *testing.T) {
	t.Parallel()
	type all struct {
		A Untrusted
		B Text
		C OptInt
		D List[Untrusted]
		E Cursor
	}
	for _, want := range []all{{}, {"a", "b", 3, List[Untrusted]{"d"}, "e"}} {
		text, err := MarshalPlain(want)
		require.NoError(t, err)
		got := all{}
		require.NoError(t, json.Unmarshal(text, &got))
		if want.D == nil {
			want.D = List[Untrusted]{}
		}
		require.Equal(t, want, got)
	}
}

func TestOptTellsAbsentFromNull(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Opt[int]{
		`{}`:          {},
		`{"a": null}`: {Set: true, Null: true},
		`{"a": 0}`:    {Set: true},
		`{"a": 5}`:    {Set: true, Value: 5},
	} {
		var got struct{ A Opt[int] }
		require.NoError(t, json.Unmarshal([]byte(body), &got))
		require.Equal(t, want, got.A, body)
	}
	used := Opt[int]{Set: true, Value: 5}
	require.NoError(t, json.Unmarshal([]byte(`null`), &used))
	require.Equal(t, Opt[int]{Set: true, Null: true}, used, "nothing of an earlier value stays")
	require.Error(t, json.Unmarshal([]byte(`"5"`), &used))
}

func TestOptPointer(t *testing.T) {
	t.Parallel()
	require.Nil(t, Opt[int]{Set: true, Null: true}.ValueOrNil())
	require.Zero(t, *Opt[int]{Set: true}.ValueOrNil())
	require.Equal(t, 5, *Opt[int]{Set: true, Value: 5}.ValueOrNil())
}

func TestOptChecksItsValue(t *testing.T) {
	t.Parallel()
	require.NoError(t, Opt[Since]{Set: true, Value: "7d"}.Check())
	require.Error(t, Opt[Since]{Set: true, Value: "soon"}.Check())
	require.NoError(t, Opt[Since]{Set: true, Null: true, Value: "soon"}.Check(), "null has no value to check")
	require.NoError(t, Opt[Since]{Value: "soon"}.Check(), "neither has an absent field")
	require.NoError(t, Opt[int]{Set: true, Value: 5}.Check(), "an int has no check")
}

func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const text = "ck_hunter2"
	secret := Secret(text)
	type holder struct {
		Key  Secret
		Keys []Secret
	}
	held := holder{secret, []Secret{secret}}

	var printed bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%c", "%5.2s", "%e"} {
		for _, v := range []any{secret, &secret, held, &held, []any{secret}, map[string]Secret{"key": secret}} {
			fmt.Fprintf(&printed, verb+"\n", v)
		}
	}
	fmt.Fprintln(&printed, secret, held, fmt.Errorf("with %s: %v", secret, held))
	for _, handler := range []slog.Handler{slog.NewTextHandler(&printed, nil), slog.NewJSONHandler(&printed, nil)} {
		slog.New(handler).With("with", secret).Info("m", "key", secret, "held", held, slog.Group("g", "key", secret), "pointer", &held)
	}
	marshalled, err := json.Marshal(map[string]any{"key": secret, "held": held})
	require.NoError(t, err)
	printed.Write(marshalled)

	require.NotContains(t, printed.String(), "hunter2")
	require.NotContains(t, printed.String(), fmt.Sprintf("%x", text))
	require.Contains(t, printed.String(), redacted)
	require.Equal(t, text, secret.Reveal())
	require.Empty(t, fmt.Sprintf("%v%s%d", Secret(""), Secret(""), Secret("")), "one sees whether a secret is set")
}
