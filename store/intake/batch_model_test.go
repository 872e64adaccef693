package intake_test

import (
	"cmp"
	"encoding/hex"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestAddEventsLikeAModel adds random batches and sets statuses between them, on a store that remembers and on one that
// forgets everything before each step. Both must end with the same rows, and these must agree with a small model.
func TestAddEventsLikeAModel(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	warm, cold := storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)
	next := int64(storetest.Shop)
	rapid.Check(t, func(r *rapid.T) {
		c.Now = storetest.Noon
		m := newModel()
		mine, others := next, next+1
		next += 2
		storetest.MakeProject(t, warm, mine, "Warm")
		storetest.MakeProject(t, warm, others, "Cold")
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			c.Forward(time.Duration(rapid.IntRange(0, 90).Draw(r, "minutes")) * time.Minute)
			cold.Intake.Forget()
			if rapid.IntRange(0, 3).Draw(r, "kind") == 0 {
				drawStatus(r).setStatus(t, c, m, map[int64]*store.Store{mine: warm, others: cold})
				continue
			}
			batch := drawBatch(r, c)
			m.addBatch(c, batch)
			require.Equal(r, addBatch(r, warm, mine, batch), addBatch(r, cold, others, batch))
		}
		require.Equal(r, m.listRows(), rowsOf(r, warm, mine), "warm")
		require.Equal(r, m.listRows(), rowsOf(r, cold, others), "cold")
	})
}

func drawBatch(r *rapid.T, c *storetest.Clock) []intake.NewEvent {
	return rapid.SliceOfN(rapid.Custom(func(r *rapid.T) intake.NewEvent {
		group := rapid.SampledFrom([]string{"pay", "log in", "search"}).Draw(r, "group")
		e := storetest.MakeEvent(0, group, rapid.IntRange(0, 20).Draw(r, "event"), c.At(0))
		e.OccurredAt = c.At(-time.Duration(rapid.IntRange(0, 200).Draw(r, "late")) * time.Minute)
		e.Release = rapid.SampledFrom([]string{"", "1.0", "1.1"}).Draw(r, "release")
		e.Level = rapid.SampledFrom([]string{"error", "warning", "fatal"}).Draw(r, "level")
		e.Environment = rapid.SampledFrom([]string{"", "production", "staging"}).Draw(r, "environment")
		if n := rapid.IntRange(0, 5).Draw(r, "user"); n > 0 {
			e.User = storetest.HashUser(n)
		}
		return e
	}), 1, 8).Draw(r, "batch")
}

// addBatch adds the batch to a project and returns which of its events were duplicates.
func addBatch(r *rapid.T, s *store.Store, project int64, batch []intake.NewEvent) []bool {
	events := slices.Clone(batch)
	for i := range events {
		events[i].ProjectID = project
	}
	added, err := s.Intake.AddEvents(r.Context(), events)
	require.NoError(r, err)
	duplicates := make([]bool, len(added))
	for i, a := range added {
		duplicates[i] = a.Duplicate
	}
	return duplicates
}

// newStatus is a status to set on an issue, given by the name of its group.
type newStatus struct {
	group  string
	status core.Status
}

func drawStatus(r *rapid.T) newStatus {
	return newStatus{
		rapid.SampledFrom([]string{"pay", "log in", "search"}).Draw(r, "group"),
		rapid.SampledFrom([]core.Status{core.Resolved, core.Ignored, core.Unresolved}).Draw(r, "status"),
	}
}

func (n newStatus) setStatus(t *testing.T, c *storetest.Clock, m *model, stores map[int64]*store.Store) {
	e := storetest.MakeEvent(0, n.group, 0, c.At(0))
	i := m.issues[hex.EncodeToString(e.Fingerprint[:])]
	if i == nil {
		return
	}
	for project, s := range stores {
		id := storetest.ReadCell[int64](t, s, `SELECT issue_id FROM issue_fingerprints WHERE project_id = $1 AND fingerprint = $2`, project,
			e.Fingerprint[:])
		_, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(1), id, n.status)
		require.NoError(t, err)
	}
	if i.Status != n.status {
		i.Status, i.statusAt = n.status, c.At(0)
	}
}

// model predicts the rows of one project.
type model struct {
	issues map[string]*modelIssue // by fingerprint
	events map[[16]byte]bool
	hours  map[string]int
}

// modelIssue is an issue with its related rows. Its exported fields are compared with the rows.
type modelIssue struct {
	Fingerprint               string
	Status                    core.Status
	TimesSeen, StoredEvents   int64
	UsersAffected             int64
	FirstSeen, LastSeen       core.Time
	FirstRelease, LastRelease string
	Level                     string
	Latest                    string // event id
	Hours, Events, Places     []string
	Regressed                 int64

	statusAt core.Time
	users    map[[16]byte]bool
	hours    map[string]int
	released sightings
}

// sightings are the events with a release, in the order of arrival.
type sightings []sighting

type sighting struct {
	at      core.Time
	release string
}

// findEnds returns the first and the last known release.
func (s sightings) findEnds() (first, last string) {
	list := slices.Clone(s)
	slices.SortStableFunc(list, func(a, b sighting) int { return a.at.Compare(b.at.Time) })
	if len(list) == 0 {
		return "", ""
	}
	return list[0].release, list[len(list)-1].release
}

func newModel() *model {
	return &model{map[string]*modelIssue{}, map[[16]byte]bool{}, map[string]int{}}
}

func (m *model) addBatch(c *storetest.Clock, batch []intake.NewEvent) {
	newest := map[string]core.Time{}
	for _, e := range batch {
		if m.events[e.EventID] {
			continue
		}
		m.events[e.EventID] = true
		m.hours[storetest.FormatHour(e.ReceivedAt)]++
		key := hex.EncodeToString(e.Fingerprint[:])
		i := m.issues[key]
		if i == nil {
			i = &modelIssue{
				Fingerprint: key, Status: core.Unresolved, FirstSeen: e.OccurredAt,
				Places: []string{}, users: map[[16]byte]bool{}, hours: map[string]int{},
			}
			m.issues[key] = i
		}
		i.addEvent(e)
		if e.OccurredAt.After(newest[key].Time) {
			newest[key] = e.OccurredAt
		}
	}
	for key, at := range newest {
		if i := m.issues[key]; i.Status == core.Resolved && at.After(i.statusAt.Time) {
			i.Status, i.statusAt = core.Unresolved, c.At(0)
			i.Regressed++
		}
	}
}

func (i *modelIssue) addEvent(e intake.NewEvent) {
	i.TimesSeen++
	i.StoredEvents++
	i.Latest = hex.EncodeToString(e.EventID[:])
	i.Events = append(i.Events, i.Latest)
	i.hours[storetest.FormatHour(e.OccurredAt)]++
	if e.OccurredAt.Before(i.FirstSeen.Time) {
		i.FirstSeen = e.OccurredAt
	}
	if !e.OccurredAt.Before(i.LastSeen.Time) {
		i.LastSeen, i.Level = e.OccurredAt, e.Level
	}
	if e.Release != "" {
		i.released = append(i.released, sighting{e.OccurredAt, e.Release})
		i.FirstRelease, i.LastRelease = i.released.findEnds()
	}
	if e.User != [16]byte{} {
		i.users[e.User] = true
	}
	for _, place := range []string{e.Environment, e.Release} {
		if place != "" && !slices.Contains(i.Places, place) {
			i.Places = append(i.Places, place)
		}
	}
}

// projectRows are the rows of a project, without their ids.
type projectRows struct {
	Issues []modelIssue
	Hours  []string
}

func (m *model) listRows() projectRows {
	rows := projectRows{Hours: storetest.ListHours(m.hours), Issues: []modelIssue{}}
	for _, i := range m.issues {
		row := *i
		row.UsersAffected, row.Hours = int64(len(i.users)), storetest.ListHours(i.hours)
		row.Events, row.Places = slices.Sorted(slices.Values(i.Events)), slices.Clone(i.Places)
		slices.Sort(row.Places)
		row.statusAt, row.users, row.hours, row.released = core.Time{}, nil, nil, nil
		rows.Issues = append(rows.Issues, row)
	}
	slices.SortFunc(rows.Issues, func(a, b modelIssue) int { return cmp.Compare(a.Fingerprint, b.Fingerprint) })
	return rows
}

const rowsOfIssues = `
SELECT encode(i.fingerprint, 'hex') AS fingerprint, i.status, i.times_seen, i.stored_events, i.users_affected, i.first_seen, i.last_seen,
	i.first_release, i.last_release, i.level,
	(SELECT replace(event_id::text, '-', '') FROM event_ids WHERE project_id = i.project_id AND id = i.latest_event_id) AS latest,
	ARRAY(SELECT to_char(hour AT TIME ZONE 'UTC', 'DD HH24') || '=' || events FROM issue_hours
		WHERE project_id = i.project_id AND issue_id = i.id ORDER BY 1) AS hours,
	ARRAY(SELECT replace(event_id::text, '-', '') FROM events WHERE project_id = i.project_id AND issue_id = i.id ORDER BY 1) AS events,
	ARRAY(SELECT environment FROM issue_environments WHERE project_id = i.project_id AND issue_id = i.id
		UNION ALL SELECT release FROM issue_releases WHERE project_id = i.project_id AND issue_id = i.id ORDER BY 1) AS places,
	(SELECT count(*) FROM activity WHERE project_id = i.project_id AND target_id = i.id AND action = 'issue.regress') AS regressed
FROM issues i WHERE i.project_id = $1 ORDER BY 1`

func rowsOf(r *rapid.T, s *store.Store, project int64) projectRows {
	rows, err := storetest.QuerySQL(r.Context(), s, rowsOfIssues, project)
	require.NoError(r, err)
	issues, err := pgx.CollectRows(rows, pgx.RowToStructByName[modelIssue])
	require.NoError(r, err)
	rows, err = storetest.QuerySQL(r.Context(), s, `SELECT to_char(hour AT TIME ZONE 'UTC', 'DD HH24') || '=' || events FROM project_hours
		WHERE project_id = $1 ORDER BY 1`, project)
	require.NoError(r, err)
	hours, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(r, err)
	return projectRows{issues, hours}
}
