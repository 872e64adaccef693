package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// The texts of an event: each @ is a place where a text can stand.
const (
	nativeTexts = `{"message":"m @","platform":"@","transaction":"@","release":"@","environment":"@","dist":"@","server_name":"@",
		"exception":[{"type":"E@","value":"@","module":"@","mechanism":{"type":"@"},"stacktrace":{"frames":[
			{"function":"@","module":"@","filename":"@","abs_path":"@","context_line":"@",
			"pre_context":["@"],"post_context":["@"],"vars":{"@":"@"}}]}},
			{"type":"F","stack":"@"}],
		"user":{"id":"@","email":"@","username":"@","ip_address":"@","@":"@"},
		"request":{"method":"@","url":"@","query_string":"@","headers":{"@":"@"},"cookies":"@","data":"@"},
		"tags":{"@":"@","service.test":"@"},"extra":{"@":"@"},"contexts":{"@":{"@":"@"}},
		"breadcrumbs":[{"type":"@","category":"@","level":"@","message":"@","data":{"@":"@"}}],
		"fingerprint":["f","@"],"sdk":{"name":"@","version":"@"}}`
	sentryTexts = `{"event_id":"@","timestamp":"@","level":"@","logger":"@","culprit":"@","logentry":{"message":"%s @","params":["@"]},
		"threads":{"values":[{"id":"@","name":"@","crashed":true,"stacktrace":{"frames":[{"function":"@"}]}}]},
		"debug_meta":{"images":[{"type":"@","debug_id":"@","code_file":"@"}]},
		"csp":{"effective-directive":"@","blocked-uri":"@","document-uri":"@"}}`
)

// notOfEvents are the indexed columns whose text never comes from events, each with the limit of its text.
var notOfEvents = map[string]string{
	"activity.action":                "our own words",
	"activity.target_type":           "our own words",
	"activity.actor_name":            "the name of a token, of at most 100 characters",
	"activity.data":                  "in the condition of an index alone",
	"consents.code_hash":             "a hash",
	"approvals.action":               "our own words",
	"api_keys.hash":                  "a hash",
	"approvals.payload":              "at most 10 ids, or the name of a project",
	"approvals.requested_by":         "the name of a token, of at most 100 characters",
	"approvals.requested_by_type":    "our own words",
	"approvals.status":               "our own words",
	"changed_pull_requests.url":      "the URL of a pull request, of at most 500 characters",
	"deliveries.status":              "our own words",
	"deploy_commits.commit":          "a SHA",
	"deploy_pull_requests.url":       "an owner, a repository and a number, of at most 500 characters",
	"deploys.commit":                 "a SHA",
	"deploys.commit_digest":          "a hash",
	"deploys.digest":                 "a hash",
	"deploys.release":                "of at most 200 characters",
	"fixes.outcome":                  "our own words",
	"fixes.ref":                      "a SHA, or the URL of a pull request, of at most 500 characters",
	"fixes.regressed_in":             "a release, which is of at most 200 characters in an event",
	"fixes.release":                  "of at most 200 characters",
	"release_commits.release":        "of at most 200 characters",
	"releases.digest":                "a hash",
	"scm_deliveries.key":             "a hash",
	"setup_keys.hash":                "a hash",
	"source_maps.blob":               "a hash and an id",
	"source_maps.debug_id":           "a UUID",
	"source_maps.digest":             "a hash",
	"source_maps.path":               "of at most 1500 bytes",
	"source_maps.release":            "of at most 200 characters",
	"install_secrets.name":           "our own words",
	"install_settings.name":          "our own words",
	"pushed_commits.repository":      "a setting, of at most 200 characters",
	"pushed_commits.commit":          "a SHA",
	"pushed_commits.before":          "a SHA",
	"install_times.name":             "our own words",
	"project_keys.public_key":        "made by us",
	"releases.version":               "of at most 200 characters",
	"merged_pull_requests.url":       "a URL of a pull request, of at most 500 characters",
	"projects.repository":            "a setting, of at most 200 characters",
	"projects.slug":                  "made of a name of at most 100 characters",
	"tags.name":                      "of at most 50 characters",
	"tokens.hash":                    "a hash",
	"issues.crash_site":              "our own words",
	"issue_fingerprints.fingerprint": "a hash",
	"issue_users.user_hash":          "a hash",
	"sessions.hash":                  "a hash",
	"sign_in_attempts.subject":       "a hash",
	"teams.slug":                     "of at most 100 characters",
	"user_identities.issuer":         "a URL of the settings",
	"user_identities.subject":        "of at most 255 characters",
	"user_links.hash":                "a hash",
	"users.email_address":            "of at most 254 characters",
	"users.slug":                     "of at most 100 characters",
}

// TestLongTextsFitIntoIndexes sends events with 8 KB of random text, which does not compress, in each place where an event has
// text. Each event is stored, and its texts in indexed columns are short.
func TestLongTextsFitIntoIndexes(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	random := rand.New(rand.NewPCG(1, 2))
	sent := int64(0)
	for path, template := range map[string]string{native: nativeTexts, events: sentryTexts, events + "?": nativeTexts} {
		places := strings.Count(template, "@")
		for place := range places + 1 { // the last round fills all of them
			for alphabet, text := range map[string]func(*rand.Rand) string{"letters": randomLetters, "of four bytes": randomWide} {
				parts := strings.SplitAfter(template, "@")
				for i := range parts[:places] {
					fill := "x"
					if i == place || place == places {
						fill = text(random)
					}
					parts[i] = strings.TrimSuffix(parts[i], "@") + fill
				}
				a := s.postBody(path, []byte(strings.Join(parts, "")), byKey, nativeByKey)
				require.Equal(t, http.StatusOK, a.status, "%s, place %d, %s: %s", path, place, alphabet, a.text)
				sent++
			}
		}
	}
	require.Equal(t, sent, s.eventsStored())

	columns := s.indexedTexts()
	require.Contains(t, columns, "issue_releases.release", "the columns were not found")

	for name, longest := range columns {
		require.LessOrEqual(t, longest, int64(800), name) // 200 characters; an entry has room for 2,700 bytes
		if notOfEvents[name] == "" {
			require.Positive(t, longest, "%s: nothing in an event reaches it, so its line in notOfEvents is missing", name)
		}
	}
	for name := range notOfEvents {
		require.Contains(t, columns, name, "no index has it any more")
	}
}

// indexedTexts returns the columns that are in any index and can hold text, with their longest content in bytes.
func (s *server) indexedTexts() map[string]int64 {
	s.t.Helper()
	rows, err := storetest.QuerySQL(s.t.Context(), s.db, `
SELECT DISTINCT c.relname::text, a.attname::text
FROM pg_index x
JOIN pg_class c ON c.oid = x.indrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_depend d -- columns that expressions and conditions use, besides the indexed ones
	ON d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid AND d.refobjid = x.indrelid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND (a.attnum = ANY (x.indkey) OR a.attnum = d.refobjsubid)
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE n.nspname = 'public' AND NOT c.relispartition AND c.relname NOT LIKE 'goose%' AND c.relname NOT LIKE 'river%'
	AND (t.typcategory IN ('S', 'U') AND t.typname <> 'uuid' OR e.typcategory = 'S')`)
	require.NoError(s.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Table, Column string }])
	require.NoError(s.t, err)
	longest := map[string]int64{}
	for _, f := range found {
		longest[f.Table+"."+f.Column] = s.queryNumber(fmt.Sprintf(`SELECT coalesce(max(octet_length(%s::text)), 0)::bigint FROM %s`,
			pgx.Identifier{f.Column}.Sanitize(), pgx.Identifier{f.Table}.Sanitize()))
	}
	return longest
}

func randomLetters(random *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	text := make([]byte, 8<<10)
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	return string(text)
}

// randomWide makes a text of four-byte characters.
func randomWide(random *rand.Rand) string {
	text := make([]rune, 2<<10)
	for i := range text {
		text[i] = 0x20000 + random.Int32N(0xA000)
	}
	return string(text)
}

// TestEventsAreWithinTheCapForReaders sends events that are larger in an answer than in the store or on the wire, and reads them
// as GET /v1/events/{id} does.
func TestEventsAreWithinTheCapForReaders(t *testing.T) {
	t.Parallel()
	list := func(n int, one string) string { return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]" }
	escapes := strings.Repeat(`\u0001\"\\\u2028<&>\ud83d\ude00\u0085`, 600)
	for name, body := range map[string]string{
		"small frames": `{"exception":` + list(50, `{"type":"E","stacktrace":{"frames":`+list(250, `{"function":"f"}`)+`}}`) + `}`,
		"empty frames": `{"message":"m","threads":` + list(250, `{"id":1,"stacktrace":{"frames":`+list(60, `{"in_app":true}`)+`}}`) + `}`,
		"images":       `{"message":"m","debug_meta":{"images":` + list(1000, `{"debug_id":"`+strings.Repeat("a", 300)+`"}`) + `}}`,
		"escaped texts": `{"message":"m","extra":{"a":` + list(100, `"`+escapes+`"`) + `},"breadcrumbs":` +
			list(100, `{"message":"`+escapes+`"}`) + `}`,
		"nested values": `{"message":"m","extra":{"a":` + list(30_000, `{}`) + `},"contexts":{"b":{"c":` + list(2_000, `[""]`) + `}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			a := s.postBody(events, []byte(body), byKey)
			require.Equal(t, http.StatusOK, a.status, a.text)

			answer, err := core.MarshalPlain(s.onlyEvent())
			require.NoError(t, err)
			require.LessOrEqual(t, len(answer), 256<<10)
			require.NotEmpty(t, s.onlyEvent().Title)
			require.NotEmpty(t, s.onlyEvent().Problems, "what was cut is named")
		})
	}
}
