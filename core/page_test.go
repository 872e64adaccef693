package core

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCursorRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sort := rapid.SampledFrom([]string{"last_seen", "priority", "received_at"}).Draw(t, "sort")
		at := time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "micros")).UTC()
		id := rapid.Int64Range(0, maxID).Draw(t, "id")
		cursor := ListPosition{Sort: sort, At: at.In(time.FixedZone("", 3600)), ID: id}.Cursor()
		if err := cursor.Check(); err != nil {
			t.Fatal(err)
		}
		got, err := cursor.Position(sort, 0)
		if err != nil || got != (ListPosition{Sort: sort, At: at, ID: id}) {
			t.Fatalf("%v %v", got, err)
		}
		if strings.Trim(string(cursor), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%s does not fit in a query", cursor)
		}
	})
}

func TestCursorCarriesTheWholePlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := ListPosition{
			Sort: "priority", Filters: rapid.Uint32().Draw(t, "filters"), Start: time.UnixMicro(rapid.Int64Range(1, 1<<52).Draw(t, "start")).UTC(),
			At: time.UnixMicro(0).UTC(), Score: rapid.Float64Range(0, 1e300).Draw(t, "score"), ID: rapid.Int64Range(0, maxID).Draw(t, "id"),
		}
		got, err := want.Cursor().Position("priority", want.Filters)
		if err != nil || got != want {
			t.Fatalf("%v %v", got, err)
		}
		if start := want.Cursor().Start(clock()); !start.Equal(want.Start) {
			t.Fatal(start)
		}
	})
	require.Equal(t, clock(), Cursor("").Start(clock()))
	require.Equal(t, clock(), ListPosition{Sort: "at", At: clock(), ID: 1}.Cursor().Start(clock()))
}

func TestCursorRefusals(t *testing.T) {
	t.Parallel()
	body := func(text string) Cursor { return Cursor(base64.RawURLEncoding.EncodeToString([]byte(text))) }
	good := ListPosition{Sort: "last_seen", At: clock(), ID: 5}.Cursor()
	for name, c := range map[string]Cursor{
		"no base64":           "???",
		"padded base64":       good + "=",
		"cut":                 good[:len(good)-3],
		"no JSON":             body("hello"),
		"another JSON":        body(`[1]`),
		"null":                body(`null`),
		"no sort":             body(`{"t":1,"i":1}`),
		"a negative id":       body(`{"s":"last_seen","t":1,"i":-1}`),
		"a huge id":           body(`{"s":"last_seen","t":1,"i":9007199254740992}`),
		"a fraction":          body(`{"s":"last_seen","t":1.5,"i":1}`),
		"after year 9999":     body(`{"s":"last_seen","t":9223372036854775807,"i":1}`),
		"long before history": body(`{"s":"last_seen","t":-9223372036854775808,"i":1}`),
		"something after it":  body(`{"s":"last_seen","t":1,"i":1}{}`),
		"a start after 9999":  body(`{"s":"last_seen","b":9223372036854775807,"t":1,"i":1}`),
		"a negative score":    body(`{"s":"last_seen","p":-1,"t":1,"i":1}`),
		"no number":           body(`{"s":"last_seen","p":1e999,"t":1,"i":1}`),
	} {
		require.Equal(t, errCursor, c.Check(), name)
		_, err := c.Position("last_seen", 0)
		require.Equal(t, []Detail{{"cursor", errCursor.Error()}}, AsError(err).Details, name)
	}

	require.NoError(t, good.Check())
	_, err := good.Position("priority", 0)
	require.True(t, HasCode(err, InvalidRequest), "a cursor of another sort")
	_, err = good.Position("last_seen", 7)
	require.True(t, HasCode(err, InvalidRequest), "a cursor of other filters")
	require.NoError(t, Cursor("").Check(), "the first page")
	_, err = Cursor("").Position("last_seen", 0)
	require.NoError(t, err)
}

func FuzzCursor(f *testing.F) {
	f.Add(string(ListPosition{Sort: "last_seen", At: clock(), ID: 5}.Cursor()))
	f.Add("eyJzIjoiYSJ9")
	f.Fuzz(func(t *testing.T, text string) {
		c := Cursor(text)
		place, err := c.Position("last_seen", 0)
		if err != nil {
			return
		}
		require.NoError(t, c.Check())
		require.True(t, place.ID >= 0 && place.ID <= maxID)
		for _, at := range []time.Time{place.At, place.Start, c.Start(clock())} {
			require.True(t, at.Year() >= 1 && at.Year() <= 9999)
		}
	})
}

func TestSince(t *testing.T) {
	t.Parallel()
	now := clock()
	for text, want := range map[string]time.Time{
		"":                               {},
		"30m":                            now.Add(-30 * time.Minute),
		"24h":                            now.Add(-24 * time.Hour),
		"7d":                             now.Add(-7 * 24 * time.Hour),
		"0s":                             now,
		"2026-01-31":                     time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		"2026-01-31T12:00":               time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		"2026-01-31T12:00:05":            time.Date(2026, 1, 31, 12, 0, 5, 0, time.UTC),
		"2026-01-31 12:00:05":            time.Date(2026, 1, 31, 12, 0, 5, 0, time.UTC),
		"2026-01-31T12:00:05Z":           time.Date(2026, 1, 31, 12, 0, 5, 0, time.UTC),
		"2026-01-31T12:00:05.25+01:00":   time.Date(2026, 1, 31, 11, 0, 5, 25e7, time.UTC),
		"2026-01-31T12:00:05.123456789Z": time.Date(2026, 1, 31, 12, 0, 5, 123456789, time.UTC),
	} {
		require.NoError(t, Since(text).Check(), text)
		got, err := Since(text).Time(now)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), "%s: %s", text, got)
	}
	for _, text := range []string{"30", "m", "-5m", "1.5h", "1w", "24 h", " 24h", "24H", "yesterday", "2026-13-01", "2026-02-30", "2026-1-31",
		"31.01.2026", "2026-01-31T25:00", "1767464570", "now", "3651d", "2026-01-31Z"} {
		require.Error(t, Since(text).Check(), text)
		_, err := Since(text).Time(now)
		require.Error(t, err, text)
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0s": 0, "1s": time.Second, "90m": 90 * time.Minute, "024h": 24 * time.Hour, "7d": 168 * time.Hour,
		"3650d": 87600 * time.Hour, "87600h": 87600 * time.Hour, "315360000s": 87600 * time.Hour,
	} {
		got, err := ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"":            `"" is not a duration: write a number with s, m, h or d, such as 30m`,
		"30":          `"30" is not a duration: write a number with s, m, h or d, such as 30m`,
		"1h30m":       `"1h30m" is not a duration: write a number with s, m, h or d, such as 30m`,
		"-1h":         `"-1h" is not a duration: write a number with s, m, h or d, such as 30m`,
		"1h\n":        `"1h\n" is not a duration: write a number with s, m, h or d, such as 30m`,
		"٣h":          `"٣h" is not a duration: write a number with s, m, h or d, such as 30m`,
		"1000000000s": `"1000000000s" is not a duration: write a number with s, m, h or d, such as 30m`,
		"3651d":       `"3651d" is longer than ten years`,
		"87601h":      `"87601h" is longer than ten years`,
		"999999999d":  `"999999999d" is longer than ten years`,
	} {
		_, err := ParseDuration(text)
		require.EqualError(t, err, want)
	}
}
