package envelope_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"errand/core"
	"errand/envelope"
	"errand/testkit/corpora"

	"github.com/stretchr/testify/require"
)

// readFiles reads the files of a corpus that match a pattern, by their base names.
func readFiles(t *testing.T, corpus, pattern string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(corpora.FindCorpus(t, corpus), pattern))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	all := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all[filepath.Base(name)] = string(text)
	}
	return all
}

// answer is the comparable part of a real Sentry's event.
type answer struct {
	EventID   string    `json:"event_id"`
	Platform  string    `json:"platform"`
	Level     string    `json:"level"`
	Datetime  time.Time `json:"datetime"`
	Release   *string   `json:"release"`
	Exception struct {
		Values []struct {
			Type, Value string
			Stacktrace  struct {
				Frames []struct {
					Function string  `json:"function"`
					Filename string  `json:"filename"`
					Lineno   float64 `json:"lineno"`
				} `json:"frames"`
			} `json:"stacktrace"`
		} `json:"values"`
	} `json:"exception"`
	Logentry struct {
		Formatted string `json:"formatted"`
		Message   string `json:"message"`
	} `json:"logentry"`
	Breadcrumbs struct {
		Values []any `json:"values"`
	} `json:"breadcrumbs"`
	Request struct {
		URL string `json:"url"`
	} `json:"request"`
	User map[string]any `json:"user"`
}

// TestCorporaAgainstSentry compares decoded events with a real Sentry's.
func TestCorporaAgainstSentry(t *testing.T) {
	t.Parallel()
	sent := readFiles(t, "glitchtip-2022", "incoming_events/*.json")
	for name, text := range readFiles(t, "glitchtip-2022", "oss_sentry_json/*.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want answer
			require.NoError(t, json.Unmarshal([]byte(text), &want))
			event, err := new(envelope.Decoder).Decode([]byte(sent[name]), envelope.Hints{ReceivedAt: want.Datetime})
			require.NoError(t, err)
			if name == "js_error_with_context.json" { // another event of the same test page
				event.Timestamp, event.Problems = core.At(want.Datetime), nil
			} else {
				require.Len(t, event.Breadcrumbs, len(want.Breadcrumbs.Values))
			}

			require.Empty(t, event.Problems)
			require.Equal(t, want.EventID, event.EventID)
			require.Equal(t, want.Platform, event.Platform)
			require.Equal(t, want.Level, event.Level)
			require.WithinDuration(t, want.Datetime, event.Timestamp.Time, time.Millisecond)
			require.Equal(t, want.Logentry.Formatted, string(event.Message))

			if want.Release != nil {
				require.Equal(t, *want.Release, string(event.Release))
			}
			if event.Request != nil {
				require.Equal(t, want.Request.URL, string(event.Request.URL))
			}
			if id, ok := want.User["id"]; ok && id != nil {
				require.Equal(t, fmt.Sprint(id), event.Identity)
			}
			requireExceptions(t, want, event)
		})
	}
}

func requireExceptions(t *testing.T, want answer, event *core.Event) {
	t.Helper()
	n := len(want.Exception.Values)
	require.Len(t, event.Exceptions, n)
	for i, w := range want.Exception.Values {
		got := event.Exceptions[n-1-i]
		require.Equal(t, w.Type, string(got.Type))
		require.Equal(t, w.Value, string(got.Value))
		frames := w.Stacktrace.Frames
		require.Len(t, got.Frames, len(frames))
		for j, f := range frames {
			mapped := got.Frames[len(frames)-1-j]
			if strings.HasPrefix(f.Filename, "webpack:") {
				continue // Sentry had a source map
			}
			require.Equal(t, strings.TrimSuffix(f.Function, "?"), string(mapped.Function))
			require.Equal(t, f.Filename, string(mapped.Filename))
			require.EqualValues(t, f.Lineno, mapped.Lineno)
		}
	}
}

// TestCorporaRealPayloads decodes payloads that real SDKs have sent over the years.
func TestCorporaRealPayloads(t *testing.T) {
	t.Parallel()
	for _, set := range []struct{ corpus, pattern string }{
		{"glitchtip-2022", "incoming_events/*.json"},
		{"relay-2019-mit", "tests/fixtures/payloads/*.json"},
		{"grouping", "inputs/*.json"},
	} {
		for name, text := range readFiles(t, set.corpus, set.pattern) {
			if name == "android_sdk_envelope.json" || name == "very_small_event.json" || name == "incoming.json" {
				continue // see below; an empty event; a list of events
			}
			t.Run(set.corpus+"/"+name, func(t *testing.T) {
				t.Parallel()
				event := decodeEvent(t, text)
				requireSound(t, event)

				for _, p := range event.Problems {
					require.Equal(t, "timestamp", p.Path, "%v", p) // these are old
				}

				if set.corpus != "grouping" { // which has events with one member
					require.Len(t, event.EventID, 32)
					require.Equal(t, !strings.Contains(text, `"platform"`), event.Platform == "other")
				}
				hasStack := len(event.Threads) > 0
				for i := range event.Exceptions {
					hasStack = hasStack || len(event.Exceptions[i].Frames) > 0
				}
				require.True(t, hasStack || event.Message != "" || len(event.Exceptions) > 0 || name == "empty.json",
					"there is something to show")

				envelope.LimitEvent(event)
				requireWithinCaps(t, event)
			})
		}
	}
}

func TestCorporaAndroidEnvelope(t *testing.T) {
	t.Parallel()
	var parts []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(readFiles(t, "glitchtip-2022",
		"incoming_events/android_sdk_envelope.json")["android_sdk_envelope.json"]), &parts))
	var body strings.Builder
	length := regexp.MustCompile(`,? "length": ?\d+`)
	for i, part := range parts {
		var line strings.Builder
		line.WriteString(strings.Join(strings.Fields(string(part)), " "))
		if i%2 == 1 { // the lengths are from the file before it was pretty-printed
			body.WriteString(length.ReplaceAllString(line.String(), ""))
		} else {
			body.WriteString(line.String())
		}
		body.WriteByte('\n')
	}
	env, err := envelope.SplitEnvelope([]byte(body.String()))
	require.NoError(t, err)

	require.Empty(t, env.Problems)
	require.Equal(t, "45e4eb512da94cb2956b788e6932c2cd", env.Header.EventID)
	require.Equal(t, "sentry.java.android/4.0.0", env.Header.SDK)
	require.Equal(t, envelope.Event, env.Items[0].Kind)

	event, err := new(envelope.Decoder).Decode(env.Items[0].Payload, envelope.Hints{ReceivedAt: receivedAt, EventID: env.Header.EventID})
	require.NoError(t, err)

	require.Equal(t, "java", event.Platform)
	require.NotEmpty(t, event.Exceptions)
	require.NotEmpty(t, event.Exceptions[0].Frames)
	require.Equal(t, core.SourceMobile, envelope.SourceOf(string(event.SDK.Name), event.Platform))
}

func TestCorporaJavaEnvelopes(t *testing.T) {
	t.Parallel()
	want := map[string]string{ // the types of the items
		"attachment.txt":             "attachment",
		"event-attachment.txt":       "event attachment attachment",
		"feedback.txt":               "user_report",
		"java-event.txt":             "event",
		"java-then-native-large.txt": "event event",
		"native-event.txt":           "event",
		"native-with-attachment.txt": "attachment event",
		"session-only.txt":           "session",
		"session.txt":                "session",
		"transaction.txt":            "transaction",
	}
	for name, body := range readFiles(t, "sentry-java", "sentry-android-core/src/test/resources/envelopes/*.txt") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, err := envelope.SplitEnvelope([]byte(body))
			require.NoError(t, err)
			var types []string
			for _, item := range env.Items {
				types = append(types, item.Type)
				if item.Kind != envelope.Event {
					continue
				}
				event, err := new(envelope.Decoder).Decode(item.Payload,
					envelope.Hints{ReceivedAt: receivedAt, EventID: env.Header.EventID})
				if name == "event-attachment.txt" {
					require.Error(t, err, "this event lacks its closing bracket")
					continue
				}
				require.NoError(t, err)
				require.Equal(t, env.Header.EventID, event.EventID)
			}
			require.Equal(t, want[name], strings.Join(types, " "))

			if name == "session-only.txt" {
				require.Equal(t, "the item's length of 85 ends inside a line; all of the line was taken", env.Problems[0].Reason)
			} else {
				require.Empty(t, env.Problems)
			}
		})
	}
}

func TestCorporaCSPMessagesOfSentry(t *testing.T) {
	t.Parallel()
	field := regexp.MustCompile(`(?m)^  (\w+): (.*)$`)
	message := regexp.MustCompile(`(?m)^message: (.*)$`)
	for name, text := range readFiles(t, "sentry-normalize-2019", "snapshots/test_csp/test_get_message/*.pysnap") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := map[string]string{}
			for _, m := range field.FindAllStringSubmatch(text, -1) {
				report[m[1]] = m[2]
				if m[2] == "''" {
					report[m[1]] = ""
				}
			}
			payload, err := json.Marshal(map[string]any{"csp": report})
			require.NoError(t, err)

			require.Equal(t, message.FindStringSubmatch(text)[1], string(decodeEvent(t, string(payload)).Message))
		})
	}
	for name, text := range readFiles(t, "sentry-normalize-2019", "csp/*_input.json") {
		e := decodeEvent(t, `{"csp":`+text+`}`)
		require.Contains(t, []string{"Blocked 'style' from 'notlocalhost:8000'", "Blocked 'style' from 'localhost:8000'"},
			string(e.Message), name)
	}
}
