package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/similar"
	"errand/store"
	"errand/store/storetest"
)

// The benchmark's issues. Kin are issues with one cause that reaches their app in different ways.
const (
	benchIssues = 200_000
	newest      = 500 // were added last
	kin         = 5
)

// BenchmarkSimilar finds similar issues among 200,000 in ten projects. It reports the quantiles of the time, and how many
// of an issue's kin are among the first ten.
func BenchmarkSimilar(b *testing.B) {
	s, _ := storetest.OpenShop(b)
	for n := int64(1); n < 10; n++ {
		storetest.MakeProject(b, s, storetest.Shop+n, fmt.Sprint("App ", n))
	}
	titles := fillIssues(b, s)
	random := rand.New(rand.NewPCG(3, 4))
	for name, query := range map[string]func(id int64) store.SimilarQuery{
		"issue": func(id int64) store.SimilarQuery { return store.SimilarQuery{IssueID: id, Limit: 10} },
		"issue, 1 app": func(id int64) store.SimilarQuery {
			return store.SimilarQuery{IssueID: id, Limit: 10, ProjectID: storetest.Shop}
		},
		"text of title": func(id int64) store.SimilarQuery { return store.SimilarQuery{Text: titles[id-1], Limit: 10} },
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			hits, all := 0, 0
			for b.Loop() {
				id := random.Int64N(benchIssues) + 1
				start := time.Now()
				q := query(id)
				list, err := s.FindSimilar(b.Context(), q)
				took = append(took, time.Since(start))
				require.NoError(b, err)
				if q.ProjectID == 0 {
					all += kin - 1
				}
				for _, i := range list {
					if all > 0 && i.Issue.ID != id && (i.Issue.ID-1)/kin == (id-1)/kin {
						hits++
					}
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			if all > 0 { // kin are in different apps
				b.ReportMetric(float64(hits)/float64(all), "recall@10")
			}
		})
	}
}

// fillIssues makes the issues and returns their titles by id.
func fillIssues(b *testing.B, s *store.Store) []string {
	run := func(sql string, args ...any) {
		rows, err := storetest.QuerySQL(b.Context(), s, sql, args...)
		require.NoError(b, err)
		rows.Close()
		require.NoError(b, rows.Err())
	}
	run(`INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status,
		status_at, times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release, crash_site)
		SELECT $1 + n % 10, n, int8send(n), 1, 'title', 'culprit', 'E', 'error', 'go', 'unresolved', $2, 1, 0, 0, $2, $2, '', '', 'app'
		FROM generate_series(1, $3::bigint) AS n`, int64(storetest.Shop), storetest.Noon, int64(benchIssues))
	index := storetest.ReadCell[string](b, s, `SELECT pg_get_indexdef('issue_features_features'::regclass)`)
	run(`DROP INDEX issue_features_features`)
	random := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(random, 1.1, 2, 20_000)
	helpers := rand.NewZipf(random, 1.1, 2, 5_000)
	var titles, features []string
	var ids, projects []int64
	for id := range int64(benchIssues) {
		e := benchEvent(random, id/kin, words, helpers)
		titles = append(titles, string(e.Title))
		ids, projects = append(ids, id+1), append(projects, storetest.Shop+(id+1)%10)
		features = append(features, strings.NewReplacer("[", "{", "]", "}", " ", ",").Replace(fmt.Sprint(similar.FeaturesOfEvent(e))))
	}
	insert := func(from, to int) {
		run(`INSERT INTO issue_features (project_id, issue_id, features)
			SELECT n.project_id, n.id, n.features::integer[] FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS n (project_id, id, features)`,
			projects[from:to], ids[from:to], features[from:to])
	}
	insert(0, benchIssues-newest)
	run(index)
	for n := range newest { // one by one, as in real use: some wait for their place in the index
		insert(benchIssues-newest+n, benchIssues-newest+n+1)
	}
	run(`ANALYZE issues`)
	run(`ANALYZE issue_features`)
	return titles
}

// benchEvent makes an issue's event. It shares its type and most of its title and stack with its kin; the rest is random.
func benchEvent(random *rand.Rand, cause int64, words, helpers *rand.Zipf) *core.Event {
	own := rand.New(rand.NewPCG(5, uint64(cause)))
	ownWords, ownTypes, ownHelpers := rand.NewZipf(own, 1.1, 2, 20_000), rand.NewZipf(own, 1.2, 2, 400), rand.NewZipf(own, 1.1, 2, 5_000)
	kind := spellNumber("Type", ownTypes.Uint64())
	title := []string{kind + ":"}
	for range 7 {
		title = append(title, spellNumber("w", ownWords.Uint64()))
	}
	x := core.Exception{Type: core.Untrusted(kind)}
	frame := func(name string) {
		x.Frames = append(x.Frames, core.Frame{Module: "shop", Function: core.Untrusted(name), InApp: true})
	}
	for range 3 {
		frame(spellNumber("f", uint64(own.Int64N(30_000))))
	}
	for range 3 {
		frame(spellNumber("h", ownHelpers.Uint64()))
	}
	for range 2 {
		title = append(title, spellNumber("w", words.Uint64()))
	}
	for range 4 {
		frame(spellNumber("h", helpers.Uint64()))
	}
	return &core.Event{Title: core.Untrusted(strings.Join(title, " ")),
		Culprit:    core.Untrusted(spellNumber("p", uint64(random.Int64N(3_000)))),
		Exceptions: core.List[core.Exception]{x}}
}

// spellNumber makes a name from a number, without digits.
func spellNumber(prefix string, n uint64) string {
	name := []byte(prefix)
	for ; n > 0; n /= 20 {
		name = append(name, "bcdfghjklmnpqrstvwxz"[n%20])
	}
	return string(name)
}
