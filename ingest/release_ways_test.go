package ingest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReleaseIsTheSameByAllWaysIn sends events of one partly masked release by each way in: all are stored alike.
func TestReleaseIsTheSameByAllWaysIn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const release, environment = ` \u200bapp@1.0+378282246310005 \nsecond line`, `prod\ttoken=abc123 `
	names := fmt.Sprintf(`"release": "%s", "environment": "%s"`, release, environment)
	attribute := func(key, value string) string {
		return fmt.Sprintf(`{"key": %q, "value": {"stringValue": "%s"}}`, key, value)
	}
	for way, send := range map[string]func() answer{
		"native":   func() answer { return s.postBody(native, []byte(`{"message": "native", `+names+`}`), nativeByKey) },
		"store":    func() answer { return s.postBody(events, []byte(`{"message": "store", `+names+`}`), byKey) },
		"envelope": func() answer { return s.postEvents(`{"type":"event"}`, `{"message": "envelope", `+names+`}`) },
		"otlp": func() answer {
			return s.postBody("/v1/logs", []byte(`{"resourceLogs": [{"resource": {"attributes": [`+
				attribute("service.version", release)+`,`+attribute("deployment.environment.name", environment)+
				`]}, "scopeLogs": [{"logRecords": [{"severityNumber": 17, "body": {"stringValue": "otlp"}, "attributes": [`+
				attribute("exception.type", "Error")+`,`+attribute("exception.message", "otlp")+`]}]}]}]}`),
				byKey, "Content-Type: application/json")
		},
	} {
		got := send()
		require.Equal(t, http.StatusOK, got.status, "%s: %s", way, got.text)
	}

	require.EqualValues(t, 4, s.queryNumber(`SELECT count(*) FROM events`))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(DISTINCT (release, environment)) FROM events`))
	require.EqualValues(t, 4, s.queryNumber(`SELECT count(*) FROM events WHERE release LIKE 'app@1.0+[Filtered]' || chr(31) || '%'
		AND environment LIKE 'prod token=[Filtered]' || chr(31) || '%'`))
}
