package core

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample is an input with every kind of field.
type sample struct {
	ID      int64           `json:"id" min:"1"`
	Minutes int64           `json:"minutes" min:"1" max:"1440" default:"120"`
	Offset  int64           `json:"offset,omitempty"`
	Claimed *bool           `json:"claimed"`
	Deep    bool            `json:"deep" default:"true"`
	Name    string          `json:"name,omitempty" min:"2" max:"4"`
	Note    string          `json:"note,omitempty" max:"9" cleaned:"true"`
	Status  Status          `json:"status,omitempty" enum:"unresolved|resolved"`
	Scopes  []Scope         `json:"scopes,omitempty" min:"1" max:"3" enum:"issues:read|admin"`
	IDs     []int64         `json:"ids,omitempty" max:"3"`
	Project ProjectRef      `json:"project,omitempty"`
	Since   Since           `json:"since,omitempty"`
	Before  *Since          `json:"before"`
	Until   Time            `json:"until,omitempty"`
	Trust   Opt[Trust]      `json:"trust" enum:"low|high"`
	Quota   Opt[int64]      `json:"quota" min:"1" max:"9"`
	After   Opt[Since]      `json:"after"`
	App     Opt[ProjectRef] `json:"app"`
	Raw     json.RawMessage `json:"raw,omitempty"`
	Paging
}

// Check is the rule of a whole input.
func (s sample) Check() error {
	if s.Minutes == 13 {
		return RefuseField("minutes", "must not be 13")
	}
	return nil
}

func compileSample(t testing.TB) *input {
	t.Helper()
	in, err := compileInput(reflect.TypeFor[sample]())
	require.NoError(t, err)
	return in
}

// readSample reads a body the way every call does, up to the handler.
func readSample(in *input, body string) (sample, error) {
	var s sample
	args, err := DecodeArgs([]byte(body))
	if err == nil {
		err = in.prepareArgs(args, false)
	}
	if err == nil {
		err = decodeArgs(args, &s)
	}
	return s, err
}

// withID makes a body of the members and the one required field.
func withID(members string) string { return `{"id": 1, ` + members + `}` }

func TestInputGivesDefaults(t *testing.T) {
	t.Parallel()
	got, err := readSample(compileSample(t), `{"id": 7}`)
	require.NoError(t, err)
	require.Equal(t, sample{ID: 7, Minutes: 120, Deep: true, Paging: Paging{Limit: 25}}, got)
}

func TestInputTakesEveryField(t *testing.T) {
	t.Parallel()
	got, err := readSample(compileSample(t), `{"id": 9007199254740991, "minutes": 1440, "offset": -9007199254740991, "claimed": false,
		"deep": false, "name": "Zoë", "note": "x", "status": "resolved", "scopes": ["admin"], "ids": [1, 2],
		"project": "web-shop", "since": "24h", "before": "7d", "until": "2026-01-03T19:22:50.1239+01:00", "trust": "low",
		"quota": 9, "after": "1h", "app": "api", "raw": {"a": [1.50]},
		"limit": 100, "cursor": "`+string(ListPosition{Sort: "last_seen", At: At(clock()).Time, ID: 3}.Cursor())+`"}`)
	require.NoError(t, err)
	no, week := false, Since("7d")
	until := At(clock())
	require.Equal(t, sample{ID: maxID, Minutes: 1440, Offset: -maxID, Claimed: &no, Name: "Zoë", Note: "x", Status: Resolved,
		Scopes: []Scope{Admin}, IDs: []int64{1, 2}, Project: "web-shop", Since: "24h", Before: &week, Until: until,
		Trust: Opt[Trust]{Set: true, Value: TrustLow}, Quota: Opt[int64]{Set: true, Value: 9}, After: Opt[Since]{Set: true, Value: "1h"},
		App: Opt[ProjectRef]{Set: true, Value: "api"}, Raw: json.RawMessage(`{"a":[1.50]}`),
		Paging: Paging{Limit: 100, Cursor: ListPosition{Sort: "last_seen", At: until.Time, ID: 3}.Cursor()}}, got)
}

func TestInputIsCoercedWhereItsMeaningIsPlain(t *testing.T) {
	t.Parallel()
	in := compileSample(t)
	no := false
	for members, want := range map[string]sample{
		`"minutes": "42"`:                         {Minutes: 42},
		`"offset": "-42"`:                         {Offset: -42},
		`"offset": "-0"`:                          {},
		`"minutes": 60.0`:                         {Minutes: 60},
		`"minutes": "60.0"`:                       {Minutes: 60},
		`"minutes": 6e1`:                          {Minutes: 60},
		`"ids": [1, 2.0, 90071992547409910e-1]`:   {IDs: []int64{1, 2, maxID}},
		`"project": 1234567890.0`:                 {Project: "1234567890"},
		`"claimed": "false"`:                      {Claimed: &no},
		`"scopes": "admin"`:                       {Scopes: []Scope{Admin}},
		`"scopes": "issues:read, admin"`:          {Scopes: []Scope{IssuesRead, Admin}},
		`"scopes": "[\"issues:read\",\"admin\"]"`: {Scopes: []Scope{IssuesRead, Admin}},
		`"ids": "1,2"`:                            {IDs: []int64{1, 2}},
		`"ids": "[1, \"2\"] "`:                    {IDs: []int64{1, 2}},
		`"ids": ["9007199254740991"]`:             {IDs: []int64{maxID}},
		`"project": 1234567890`:                   {Project: "1234567890"},
		`"project": "1234567890"`:                 {Project: "1234567890"},
		`"app": 1234567890`:                       {App: Opt[ProjectRef]{Set: true, Value: "1234567890"}},
		`"quota": "7"`:                            {Quota: Opt[int64]{Set: true, Value: 7}},
		`"name": "true"`:                          {Name: "true"},
		`"name": "42"`:                            {Name: "42"},
	} {
		want.ID, want.Limit, want.Deep = 1, 25, true
		if want.Minutes == 0 {
			want.Minutes = 120
		}
		got, err := readSample(in, withID(members))
		require.NoError(t, err, members)
		require.Equal(t, want, got, members)
	}
}

// An agent may write null for an absent value. Only in a change does null have its own meaning.
func TestInputTakesNullAsAbsent(t *testing.T) {
	t.Parallel()
	got, err := readSample(compileSample(t), `{"id": 1, "minutes": null, "offset": null, "claimed": null, "deep": null, "name": null,
		"status": null, "scopes": null, "ids": null, "project": null, "since": null, "before": null, "until": null, "raw": null,
		"limit": null, "cursor": null,
		"trust": null, "quota": null, "after": null, "app": null}`)
	require.NoError(t, err)
	require.Equal(t, sample{ID: 1, Minutes: 120, Deep: true, Paging: Paging{Limit: 25},
		Trust: Opt[Trust]{Set: true, Null: true}, Quota: Opt[int64]{Set: true, Null: true},
		After: Opt[Since]{Set: true, Null: true}, App: Opt[ProjectRef]{Set: true, Null: true}}, got)
}

// refusal is a pair of members and the error about them.
type refusal struct{ members, path, message string }

func requireRefusals(t *testing.T, refusals []refusal) {
	t.Helper()
	in := compileSample(t)
	for _, c := range refusals {
		_, err := readSample(in, withID(c.members))
		require.Error(t, err, c.members)
		failure := AsError(err)
		require.Equal(t, InvalidRequest, failure.Code, c.members)
		require.Contains(t, failure.Details, Detail{c.path, c.message}, c.members)
	}
}

func TestInputRefusesWhatIsNoPlainWholeNumber(t *testing.T) {
	t.Parallel()
	const notInteger, notWhole = "must be an integer, not string", "must be an integer, not number"
	requireRefusals(t, []refusal{
		{`"minutes": "4x"`, "minutes", notInteger},
		{`"minutes": ""`, "minutes", notInteger},
		{`"minutes": " 42"`, "minutes", notInteger},
		{`"minutes": "+42"`, "minutes", notInteger},
		{`"minutes": "042"`, "minutes", notInteger},
		{`"minutes": "1e1"`, "minutes", notInteger},
		{`"minutes": "1.e1"`, "minutes", notInteger},
		{`"minutes": "60."`, "minutes", notInteger},
		{`"minutes": "0x10"`, "minutes", notInteger},
		{`"minutes": "1.5"`, "minutes", notWhole},
		{`"minutes": 1.5`, "minutes", notWhole},
		{`"minutes": 30.01`, "minutes", notWhole},
		{`"minutes": "30.10"`, "minutes", notWhole},
		{`"minutes": 305e-1`, "minutes", notWhole},
		{`"minutes": 1e-999999`, "minutes", notWhole},
		{`"ids": [1, 2.5]`, "ids.1", notWhole},
		{`"minutes": true`, "minutes", "must be an integer, not boolean"},
		{`"minutes": [1]`, "minutes", "must be an integer, not array"},
		{`"minutes": {}`, "minutes", "must be an integer, not object"},
	})
}

func TestInputRefusesWhatIsOutOfRange(t *testing.T) {
	t.Parallel()
	const mostID, leastID = "must be at most 9007199254740991", "must be at least -9007199254740991"
	requireRefusals(t, []refusal{
		{`"minutes": 0`, "minutes", "must be at least 1"},
		{`"minutes": -1`, "minutes", "must be at least 1"},
		{`"minutes": 1441`, "minutes", "must be at most 1440"},
		{`"minutes": "1441"`, "minutes", "must be at most 1440"},
		{`"quota": 10`, "quota", "must be at most 9"},
		{`"quota": 0`, "quota", "must be at least 1"},
		{`"limit": 101`, "limit", "must be at most 100"},
		{`"offset": 9007199254740992`, "offset", mostID},
		{`"offset": 9223372036854775808`, "offset", mostID},
		{`"offset": 99999999999999999999999999999999`, "offset", mostID},
		{`"offset": -9007199254740992`, "offset", leastID},
		{`"offset": -99999999999999999999999999999999`, "offset", leastID},
		{`"ids": [9007199254740992]`, "ids.0", mostID},

		// Lengths, in characters and items.
		{`"name": "a"`, "name", "must have at least 2 characters"},
		{`"name": "abcde"`, "name", "must have at most 4 characters, not 5"},
		{`"name": "😀😀😀😀😀"`, "name", "must have at most 4 characters, not 5"},
		{`"scopes": []`, "scopes", "must have at least 1 item"},
		{`"scopes": "admin,admin,admin,admin"`, "scopes", "must have at most 3 items"},
		{`"project": "` + strings.Repeat("p", 201) + `"`, "project", "must have at most 200 characters, not 201"},
	})
}

func TestInputRefusesOtherTypes(t *testing.T) {
	t.Parallel()
	const notInteger, notBool = "must be an integer, not string", "must be a boolean, not string"
	requireRefusals(t, []refusal{
		{`"claimed": "TRUE"`, "claimed", notBool},
		{`"claimed": "1"`, "claimed", notBool},
		{`"claimed": 1`, "claimed", "must be a boolean, not number"},
		{`"name": true`, "name", "must be a string, not boolean"},
		{`"name": 42`, "name", "must be a string, not number"},
		{`"name": ["ab"]`, "name", "must be a string, not array"},
		{`"project": true`, "project", "must be a string, not boolean"},
		{`"scopes": 1`, "scopes", "must be an array, not number"},
		{`"scopes": {"a": 1}`, "scopes", "must be an array, not object"},
		{`"ids": "[1, 2"`, "ids", "must be an array, not string"},
		{`"ids": "[1] and more"`, "ids", "must be an array, not string"},
		{`"ids": "[1][2]"`, "ids", "must be an array, not string"},
		{`"ids": "1,x"`, "ids.1", notInteger},
		{`"ids": [null]`, "ids.0", "must be an integer, not null"},
	})
}

func TestInputRefusesOtherWordsAndForms(t *testing.T) {
	t.Parallel()
	const (
		statuses = "must be one of unresolved, resolved"
		scopes   = "must be one of issues:read, admin"
		since    = "must be a duration such as 30m, 24h or 7d, or an ISO date or time such as 2026-01-31 or 2026-01-31T12:00:00Z"
	)
	requireRefusals(t, []refusal{
		{`"status": "open"`, "status", statuses},
		{`"status": ""`, "status", statuses},
		{`"status": "Resolved"`, "status", statuses},
		{`"scopes": ["admin", "root"]`, "scopes.1", scopes},
		{`"scopes": ""`, "scopes.0", scopes},
		{`"until": "yesterday"`, "until", "must be a valid date-time"},
		{`"since": "30"`, "since", since},
		{`"before": "30"`, "before", since},
		{`"after": "30"`, "after", since},
		{`"cursor": "x"`, "cursor", errCursor.Error()},
		{`"minutes": 13`, "minutes", "must not be 13"},
		{`"until": "2016-12-31T23:59:60Z"`, "", "a value cannot be read, such as a time that does not exist"},
	})
}

func TestInputRefusesU0000(t *testing.T) {
	t.Parallel()
	const nul = "must not contain the character U+0000"
	requireRefusals(t, []refusal{
		{`"name": "a\u0000"`, "name", nul},
		{`"raw": "\u0000"`, "raw", nul},
		{`"raw": {"a": [1, "\u0000"]}`, "raw.a.1", nul},
		{`"raw": {"a\u0000": 1}`, "raw", nul},
		{`"ids": "[1, \"\\u0000\"]"`, "ids.1", "must be an integer, not string"},
		{`"scopes": "[\"\\u0000\"]"`, "scopes.0", nul},
	})
}

// The message helps with names in the wrong case and with near misses.
func TestInputRefusesUnknownFields(t *testing.T) {
	t.Parallel()
	const allowed = "is not a known field; allowed: id, minutes, offset, claimed, deep, name, note, status, scopes, ids, project, since, " +
		"before, until, trust, quota, after, app, raw, limit, cursor"
	requireRefusals(t, []refusal{
		{`"minute": 5`, "minute", allowed},
		{`"Minutes": 5`, "Minutes", allowed},
		{`"": 5`, "", allowed},
		{`"Paging": {}`, "Paging", allowed},
	})
}

func TestInputLengthsCountCharacters(t *testing.T) {
	t.Parallel()
	in := compileSample(t)
	for _, name := range []string{"ab", "abcd", "😀😀", "😀😀😀😀", "日本語字"} {
		got, err := readSample(in, withID(`"name": "`+name+`"`))
		require.NoError(t, err, name)
		require.Equal(t, name, got.Name)
	}
}

func TestInputLeavesCleanedTextToTheHandler(t *testing.T) {
	t.Parallel()
	got, err := readSample(compileSample(t), withID(`"note": "a\u0000b"`))
	require.NoError(t, err)
	require.Equal(t, "a\x00b", got.Note)
}

func TestInputRequires(t *testing.T) {
	t.Parallel()
	in := compileSample(t)
	_, err := readSample(in, `{}`)
	require.Equal(t, []Detail{{"id", "is required"}}, AsError(err).Details)
	_, err = readSample(in, `{"id": null}`)
	require.Equal(t, []Detail{{"id", "must be an integer, not null"}}, AsError(err).Details)
}

func TestInputReportsAllMistakesSorted(t *testing.T) {
	t.Parallel()
	in := compileSample(t)
	want := []Detail{
		{"id", "is required"},
		{"limit", "must be an integer, not number"},
		{"minutes", "must be at most 1440"},
		{"name", "must have at least 2 characters"},
		{"name", "must not contain the character U+0000"},
		{"project", "must not contain the character U+0000"},
		{"scopes.0", "must be one of issues:read, admin"},
		{"scopes.1", "must be one of issues:read, admin"},
		{"zebra", "is not a known field; allowed: " + in.allowedNames()},
	}
	for range 20 { // maps have no order
		_, err := readSample(in, `{"zebra": 1, "name": "\u0000", "scopes": ["x", "y"], "minutes": 5000, "limit": 2.5, "project": "\u0000"}`)
		require.Equal(t, want, AsError(err).Details)
	}
}

func TestInputWithoutFieldsSaysSo(t *testing.T) {
	t.Parallel()
	err := ListTokens.Operation.derive().input.prepareArgs(map[string]any{"limit": json.Number("5")}, false)
	require.Equal(t, []Detail{{"limit", "is not a known field; allowed: none"}}, AsError(err).Details)
}

// A hostile body of 1 MB must not become an answer of 100 MB.
func TestInputBoundsItsAnswer(t *testing.T) {
	t.Parallel()
	in := compileSample(t)
	_, err := readSample(in, withID(`"scopes": "`+strings.Repeat(",", 500_000)+`"`))
	require.Len(t, AsError(err).Details, 5, "the list is too long, and each of its first four items is wrong")

	var unknown strings.Builder
	for i := range 50_000 {
		unknown.WriteString(`"f` + strconv.Itoa(i) + `": 0, `)
	}
	_, err = readSample(in, withID(unknown.String()+`"last": 0`))
	require.Len(t, AsError(err).Details, maxDetails)

	_, err = readSample(in, withID(`"ids": [`+strings.Repeat("1e999999,", 100_000)+`1]`))
	require.Len(t, AsError(err).Details, 5)
	_, err = readSample(in, withID(`"offset": `+strings.Repeat("9", 1_000_000)))
	require.Equal(t, []Detail{{"offset", "must be at most 9007199254740991"}}, AsError(err).Details)
}

// Computing a literal of a million digits takes seconds: the validator gets a short one with the same verdict.
func TestWholeNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[json.Number]json.Number{
		"0": "0", "-42": "-42", "9223372036854775808": "9223372036854775808",
		"12345678901234567890":                       "12345678901234567890",
		json.Number(strings.Repeat("7", 1000)):       json.Number(strings.Repeat("9", 20)),
		"-" + json.Number(strings.Repeat("7", 1000)): "-" + json.Number(strings.Repeat("9", 20)),
		"-0": "0", "0.000": "0", "-0.0e99999999999999999999": "0", "0e5": "0",
		"1.0": "1", "60.0": "60", "-60.000": "-60", "1e2": "100", "1E+2": "100", "1.50e1": "15", "100e-2": "1", "-0.5e+7": "-5000000",
		"9007199254740993.0": "9007199254740993", "0.00012e5": "12",
		"1e30": json.Number(strings.Repeat("9", 20)), "1e99999999999999999999": json.Number(strings.Repeat("9", 20)),
		json.Number("1" + strings.Repeat("0", 500_000) + "e-500000"):   "1",
		json.Number("0." + strings.Repeat("0", 500_000) + "1e+500002"): "10",
		"1.5": "0.5", "-1.5": "-0.5", "1E-999999": "0.5", "15e-1": "0.5", "1e-99999999999999999999": "0.5", "0.00012e4": "0.5",
	} {
		require.Equal(t, want, wholeNumber(n))
	}
}

func TestDecodeArgs(t *testing.T) {
	t.Parallel()
	args, err := DecodeArgs([]byte(` {"a": 9007199254740993, "b": [1.50, null], "a\u0062": "\ud800"} `))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": json.Number("9007199254740993"), "b": []any{json.Number("1.50"), nil}, "ab": "\ufffd"}, args)

	for _, body := range []string{"", "{}"} {
		args, err = DecodeArgs([]byte(body))
		require.NoError(t, err)
		require.NotNil(t, args)
		require.Empty(t, args)
	}
	for body, want := range map[string]string{
		`[]`:           "the body must be a JSON object: it is a JSON array",
		`[{"id": 1}]`:  "the body must be a JSON object: it is a JSON array",
		`"id"`:         "the body must be a JSON object: it is a JSON string",
		`42`:           "the body must be a JSON object: it is a JSON number",
		`true`:         "the body must be a JSON object: it is a JSON bool",
		`null`:         "the body must be a JSON object",
		` `:            "the body must be a JSON object: it ends too early",
		`{"id": 1`:     "the body must be a JSON object: it ends too early",
		`{"id": 1} {}`: "the body must be one JSON object, with nothing after it",
		`{"id": 1}}`:   "the body must be one JSON object, with nothing after it",
		`{"id": 1} x`:  "the body must be one JSON object, with nothing after it",
		`{id: 1}`: "the body must be a JSON object: " +
			"invalid character 'i' looking for beginning of object key string (at byte 2)",
		"{\"id\": \"\xff\"}": "the body must be valid UTF-8",
		"\xef\xbb\xbf{}": "the body must be a JSON object: " +
			"invalid character 'ï' looking for beginning of value (at byte 1)",
		`{"a":` + strings.Repeat("[", 200_000): "the body must be a JSON object: invalid character '[' exceeded max depth (at byte 10005)",
		`{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) +
			`}`: "the body must be a JSON object: invalid character '[' exceeded max depth (at byte 10005)",
	} {
		_, err := DecodeArgs([]byte(body))
		require.Equal(t, []Detail{{"", want}}, AsError(err).Details, "%.40s", body)
	}
}

// JSON nested as deeply as it is read may stand in a field of any type.
func TestInputSurvivesDeepNesting(t *testing.T) {
	t.Parallel()
	in := compileSample(t)
	deep := strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)
	for members, want := range map[string]string{
		`"name": ` + deep:                               "must be a string, not array",
		`"ids": ` + deep:                                "must be an integer, not array",
		`"ids": "` + deep + `"`:                         "must be an integer, not array",
		`"unknown": ` + deep:                            "is not a known field; allowed: " + in.allowedNames(),
		`"ids": "` + strings.Repeat("[", 500_000) + `"`: "must be an array, not string",
	} {
		_, err := readSample(in, withID(members))
		require.Len(t, AsError(err).Details, 1, "%.20s", members)
		require.Equal(t, want, AsError(err).Details[0].Message)
	}
	_, err := readSample(in, withID(`"raw": `+deep))
	require.NoError(t, err)
}

// FuzzInput checks that any body is either refused as invalid_request with details, or becomes an input within its bounds.
func FuzzInput(f *testing.F) {
	in := compileSample(f)
	for _, seed := range []string{`{"id": "42", "scopes": "admin,issues:read", "quota": null}`,
		`{"id": 1, "ids": "[1,2]", "raw": {"a": [1e5]}}`,
		`{"id": 30.0, "claimed": "true", "since": "7d", "until": "2026-01-03T18:22:50Z"}`, `[]`, `{"name": "\u0000"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := readSample(in, body)
		if err != nil {
			var failure *Error
			require.True(t, errors.As(err, &failure))
			require.Equal(t, InvalidRequest, failure.Code)
			require.NotEmpty(t, failure.Details)
			return
		}
		require.True(t, got.ID >= 1 && got.ID <= maxID)
		require.True(t, got.Minutes >= 1 && got.Minutes <= 1440)
		require.LessOrEqual(t, math.Abs(float64(got.Offset)), float64(maxID))
		require.LessOrEqual(t, len([]rune(got.Name)), 4)
		require.NotContains(t, got.Name+string(got.Project)+string(got.Raw), "\x00")
		require.Contains(t, []Status{"", Unresolved, Resolved}, got.Status)
		require.LessOrEqual(t, len(got.Scopes), 3)
	})
}
