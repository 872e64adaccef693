package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/bench"
	"errand/store"
	"errand/store/intake"
)

// dataset is the loaded data.
type dataset struct {
	projects []int64 // the first has the most issues
	issues   []generatedIssue
	largest  int // issues of the first project
	active   int // issues with an event in the last day
	events   int
	now      time.Time
	busy     int64 // the issue with the most stored events
}

// generatedIssue is a generated issue; its events follow from its index.
type generatedIssue struct {
	project     int64
	title       string
	culprit     string
	status      string
	users       int64
	first, last time.Time
	events      int
}

// retention is how far back the stored events go; older issues have none.
const retention = 30 * 24 * time.Hour

const seed = 7

func loadDataset(ctx context.Context, s *bench.Server, options benchOptions) (*dataset, error) {
	d := &dataset{now: time.Now().UTC().Truncate(time.Millisecond)}
	for n := range options.projects {
		project, err := s.MakeProject(ctx, fmt.Sprintf("Project %d", n))
		if err != nil {
			return nil, err
		}
		d.projects = append(d.projects, project.ID)
	}
	if err := makePartitions(ctx, s, d.now); err != nil {
		return nil, err
	}
	d.generateIssues(options)
	if _, err := s.DB.Exec(ctx, `UPDATE projects SET notices_settled_at = $1`, d.now); err != nil {
		return nil, err
	}
	for _, copyTable := range []func(context.Context, *pgx.Conn) error{
		d.copyIssues, d.copyGrams, d.copyFeatures, d.copyHours, d.copyEnvironmentsAndReleases, d.copyEvents, d.copyEventIDs, d.copyActivity,
	} {
		if err := copyTable(ctx, s.DB); err != nil {
			return nil, err
		}
	}
	// Ids in the blocks that the server takes next must be free.
	_, err := s.DB.Exec(ctx, `INSERT INTO id_blocks (name, next_id) SELECT n, 1000000000 FROM unnest('{issues,events,activity}'::text[]) n
		ON CONFLICT (name) DO UPDATE SET next_id = excluded.next_id`)
	if err != nil {
		return nil, err
	}
	_, err = s.DB.Exec(ctx, `VACUUM ANALYZE`)
	return d, err
}

// makePartitions makes the partitions of the past days, as the server would have made them on those days.
func makePartitions(ctx context.Context, s *bench.Server, now time.Time) error {
	day := now.Add(-retention)
	db, err := store.Open(ctx, store.Options{URL: s.URL, Clock: func() time.Time { return day }})
	if err != nil {
		return err
	}
	defer db.Close()
	for ; day.Before(now); day = day.Add(24 * time.Hour) {
		if err := db.Intake.MakePartitions(ctx); err != nil {
			return err
		}
	}
	return nil
}

var (
	kinds = []string{"TypeError", "ValueError", "TimeoutError", "ConnectionRefused", "NullPointerException", "KeyError",
		"IntegrityError", "RangeError"}
	verbs = []string{"cannot read", "failed to load", "unexpected token in", "timed out waiting for", "invalid value for",
		"no such", "could not parse", "missing"}
	nouns = []string{"cart", "invoice", "session", "price list", "address", "voucher", "shipment", "customer", "payment", "basket",
		"search index", "mail queue"}
	statuses = []string{"unresolved", "unresolved", "unresolved", "unresolved", "unresolved", "unresolved", "resolved", "resolved",
		"ignored", "fix_pending"}
)

// generateIssues makes the issues from the seed alone: few large projects and many small ones, few issues with many events and
// users, one in fifty with an event in the last day, half of the others quiet for longer than events are kept.
func (d *dataset) generateIssues(options benchOptions) {
	random := rand.New(rand.NewPCG(seed, uint64(options.issues)))
	weights, total := make([]float64, options.issues), 0.0
	for n := range options.issues {
		issue := generatedIssue{project: d.projects[int(float64(options.projects)*math.Pow(random.Float64(), 2))],
			status: statuses[random.IntN(len(statuses))]}
		if random.IntN(100) == 0 {
			issue.status = "regressed"
		}
		noun := nouns[random.IntN(len(nouns))]
		issue.title = fmt.Sprintf("%s: %s %s %s", kinds[random.IntN(len(kinds))], verbs[random.IntN(len(verbs))], noun, randomWord(random))
		issue.culprit = fmt.Sprintf("shop.%s.%s in %s", strings.Fields(noun)[0], randomWord(random), randomWord(random))
		age := retention + time.Duration(random.Float64()*float64(335*24*time.Hour))
		switch kind := random.IntN(100); {
		case kind < 2:
			age = time.Duration(random.Float64() * float64(24*time.Hour))
		case kind < 50:
			age = time.Duration((1 + 29*random.Float64()) * float64(24*time.Hour))
		}
		issue.last = d.now.Add(-age).Truncate(time.Millisecond)
		issue.first = issue.last.Add(-time.Duration(random.ExpFloat64() * float64(20*24*time.Hour))).Truncate(time.Millisecond)
		if random.IntN(3) > 0 {
			issue.users = min(1000, int64(math.Pow(random.Float64(), -1.2)))
		}
		if age < retention {
			weights[n] = math.Pow(random.Float64()+1e-6, -0.7)
			total += weights[n]
		}
		if age < 24*time.Hour {
			d.active++
		}
		if issue.project == d.projects[0] {
			d.largest++
		}
		d.issues = append(d.issues, issue)
	}
	most := 0
	for n := range d.issues {
		if weights[n] == 0 {
			continue
		}
		events := min(intake.DefaultKeep, max(1, int(math.Round(weights[n]*float64(options.events)/total))))
		d.issues[n].events = events
		d.events += events
		if events > most {
			most, d.busy = events, int64(n+1)
		}
	}
}

func randomWord(random *rand.Rand) string {
	b := make([]byte, 3+random.IntN(6))
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz"[random.IntN(26)]
	}
	return string(b)
}

// eventTimes returns the times of an issue's stored events, the last one first.
func (d *dataset) eventTimes(n int) []time.Time {
	issue := &d.issues[n]
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	from := issue.first
	if kept := d.now.Add(-retention); from.Before(kept) {
		from = kept
	}
	times := make([]time.Time, issue.events)
	for e := range times {
		times[e] = issue.last
		if e > 0 {
			times[e] = from.Add(time.Duration(random.Float64() * float64(issue.last.Sub(from)))).Truncate(time.Millisecond)
		}
	}
	return times
}
