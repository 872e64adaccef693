package envelope_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
)

// decodeReports decodes all reports of a body that are events.
func decodeReports(t *testing.T, body string) (events []*core.Event) {
	t.Helper()
	env, err := envelope.SplitReports([]byte(body))
	require.NoError(t, err)
	for _, item := range env.Items {
		if item.Kind == envelope.Event {
			event, err := new(envelope.Decoder).DecodeReport(item.Payload, envelope.Hints{
				ReceivedAt: receivedAt, PeerIP: "198.51.100.4",
				Browser: &envelope.Browser{UserAgent: "Firefox/140\xff", Release: " shop@1 ", Environment: "production"},
			})
			require.NoError(t, err)
			events = append(events, event)
		}
	}
	return events
}

func TestDecodeReport(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, message, logger, url string }{
		"report-uri": {`{"csp-report":{"document-uri":"https://shop.example/cart?id=7","violated-directive":"img-src 'self'",
		"effective-directive":"img-src",
			"original-policy":"img-src 'self'","blocked-uri":"https://evil.example/x.png","status-code":200}}`,
			"Blocked 'image' from 'evil.example'", "csp", "https://shop.example/cart"},
		"without wrapping": {`{"document-uri":"https://shop.example/","effective-directive":"img-src",` +
			`"blocked-uri":"https://evil.example/x.png"}`,
			"Blocked 'image' from 'evil.example'", "csp", "https://shop.example/"},
		"Reporting API": {`[{"type":"csp-violation","age":0,"url":"https://shop.example/other","user_agent":"Chrome/140",
		"body":{"documentURL":"https://shop.example/cart",
			"blockedURL":"https://evil.example/x.js","effectiveDirective":"script-src-elem","disposition":"report","lineNumber":7}}]`,
			"Blocked 'script' from 'evil.example'", "csp", "https://shop.example/cart"},
		"Reporting API without a list": {`{"type":"csp-violation","url":"https://shop.example/cart?id=7",` +
			`"body":{"blockedURL":"inline","effectiveDirective":"script-src-elem"}}`,
			"Blocked inline 'script'", "csp", "https://shop.example/cart"},
		"Expect-CT": {`{"expect-ct-report":{"date-time":"2026-01-03T18:22:40Z","hostname":"shop.example","port":443,"scheme":"https",` +
			`"scts":[]}}`,
			"Expect-CT failed for 'shop.example'", "expectct", "https://shop.example"},
		"Expect-Staple": {`{"expect-staple-report":{"hostname":"shop.example","port":8443,"response-status":"MISSING"}}`,
			"Expect-Staple failed for 'shop.example'", "expectstaple", "https://shop.example:8443"},
		"public key pins": {`{"date-time":"2026-01-03T18:22:40Z","hostname":"shop.example","port":443,"noted-hostname":"shop.example",
			"served-certificate-chain":["x"],"validated-certificate-chain":["x"],"known-pins":["pin-sha256=\"x\""]}`,
			"Public key pinning validation failed for 'shop.example'", "hpkp", "https://shop.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := decodeReports(t, tt.body)

			require.Len(t, events, 1)

			event := events[0]

			require.Equal(t, []string{tt.message, tt.logger, tt.url},
				[]string{string(event.Message), string(event.Logger), string(event.Request.URL)})
			require.Equal(t, []string{"error", "javascript", "shop@1", "production"},
				[]string{event.Level, event.Platform, string(event.Release), string(event.Environment)})
			require.Equal(t, core.SourceBrowser, envelope.SourceOf(string(event.SDK.Name), event.Platform))
			require.Equal(t, "198.51.100.4", event.Identity, "the user is the browser that reports")
			require.Contains(t, []string{"Chrome/140", "Firefox/140\ufffd"}, event.Request.Headers.Get("User-Agent").Text)
			require.Equal(t, core.Object, event.Contexts.Get(tt.logger).Kind)
			require.Equal(t, tt.logger, event.Report.Kind.String())

			if tt.logger != "csp" {
				require.Equal(t, "shop.example", event.Report.Subject, "the host is not left out when events are grouped")
			}

			require.Empty(t, event.Problems)
		})
	}
}

func TestReportsOfOneBody(t *testing.T) {
	t.Parallel()
	report := map[string]any{"type": "csp-violation", "age": 90_000, "url": "https://shop.example/",
		"body": map[string]any{"effectiveDirective": "img-src"}}
	other := map[string]any{"type": "deprecation", "body": map[string]any{"id": "x"}}
	body, err := json.Marshal([]any{report, other, report})
	require.NoError(t, err)
	events := decodeReports(t, string(body))

	require.Len(t, events, 2)
	require.Equal(t, receivedAt.Add(-90*time.Second), events[0].Timestamp.Time, "it was sent later")
	require.Empty(t, decodeReports(t, `[]`))
}

func TestReportsThatAreNone(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":                    "the report is neither a JSON object nor a list of them",
		"csp":                 "the report is neither a JSON object nor a list of them",
		`{"csp-report":`:      "not valid JSON: ",
		`[{}`:                 "not valid JSON: ",
		`{"csp-report":{}} x`: "not valid JSON: more text behind the report",
	} {
		_, err := envelope.SplitReports([]byte(body))
		require.ErrorContains(t, err, want, body)
	}
	for body, want := range map[string]string{
		`7`: "the report is not a JSON object", `{}`: "the report is of none of the kinds",
		`{"message":"boom"}`: "the report is of none of the kinds",
		`{"csp-report":{}}`:  "the report names no directive", `{"type":"csp-violation"}`: "the report names no directive",
		`{"expect-ct-report":{}}`: "the report names no host", `{"expect-staple-report":7}`: "the report names no host",
		`{"known-pins":[]}`: "the report names no host",
		`{"a":}`:            "not valid JSON",
	} {
		t.Run(body, func(t *testing.T) {
			_, err := new(envelope.Decoder).DecodeReport([]byte(body), envelope.Hints{ReceivedAt: receivedAt})
			require.ErrorContains(t, err, want)
		})
	}
}

// A report becomes the same event whether a browser sends it by itself or a server passes it on.
func TestReportsOfBrowsersAndOfSDKsBecomeTheSameEvent(t *testing.T) {
	t.Parallel()
	for kind, report := range map[string]string{
		"csp": `{"csp-report":{"document-uri":"https://shop.example/cart?id=7","effective-directive":"img-src",` +
			`"blocked-uri":"data"}}`,
		"expectct": `{"expect-ct-report":{"date-time":"2026-01-03T18:20:40Z","hostname":"shop.example","port":8443,"scts":[]}}`,
		"expectstaple": `{"expect-staple-report":{"date-time":"2026-01-03T18:20:40Z","hostname":"shop.example",` +
			`"response-status":"MISSING"}}`,
		"hpkp": `{"date-time":"2026-01-03T18:20:40Z","noted-hostname":"shop.example","port":8443,"known-pins":["x"]}`,
	} {
		reported, err := new(envelope.Decoder).DecodeReport([]byte(report), envelope.Hints{ReceivedAt: receivedAt})
		require.NoError(t, err)
		passedOn, err := new(envelope.Decoder).Decode([]byte(`{"platform":"javascript","`+kind+`":`+report+`}`),
			envelope.Hints{ReceivedAt: receivedAt})
		require.NoError(t, err)

		require.Equal(t, reported.Report, passedOn.Report, kind)
		require.Equal(t, reported.Message, passedOn.Message, kind)
		require.Equal(t, reported.Logger, passedOn.Logger, kind)
		require.Equal(t, reported.Request, passedOn.Request, kind)
		require.Equal(t, reported.Timestamp, passedOn.Timestamp, kind)
		require.Equal(t, reported.Contexts, passedOn.Contexts, kind)
	}
}

func TestWhatAnEventSaysBesideItsReportStays(t *testing.T) {
	t.Parallel()
	e := decodeEvent(t, `{"logger":"mine","message":"boom","timestamp":"2026-01-03T18:22:00Z","request":{"url":"https://own.example/"},
		"expectct":{"hostname":"a.example","date-time":"2026-01-03T18:20:40Z"}}`)

	require.Equal(t, []string{"mine", "boom", "https://own.example/", "a.example"},
		[]string{string(e.Logger), string(e.Message), string(e.Request.URL), e.Report.Subject})
	require.Equal(t, "18:22:00", e.Timestamp.UTC().Format(time.TimeOnly))
	require.Empty(t, decodeEvent(t, `{"template":{"filename":"cart.html"}}`).Logger)
}
