package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/grouping"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestMergesAndSplitsLikeAModel plays events, repeated events, merges, splits and changes of status in any order on two
// servers, and compares the database with a model that follows the words of the specification.
func TestMergesAndSplitsLikeAModel(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	g := &game{pair: [2]*store.Store{storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)}, clock: c, project: storetest.Shop}
	rapid.Check(t, func(r *rapid.T) {
		c.Now = storetest.Noon
		g.project++
		g.issues, g.events, g.led, g.quota = map[int64]*playedIssue{}, map[int64]*playedEvent{}, map[string]int64{}, map[string]int{}
		storetest.MakeProject(t, g.pair[0], g.project, "Game")
		steps := map[int]func(*rapid.T){0: g.mergeSome, 1: g.mergeSome, 2: g.splitSome, 3: g.splitSome, 4: g.setStatus, 5: g.sendAgain}
		for range rapid.IntRange(4, 14).Draw(r, "steps") {
			c.Forward(time.Duration(rapid.IntRange(1, 40).Draw(r, "minutes")) * time.Minute)
			step := steps[rapid.IntRange(0, 9).Draw(r, "step")]
			if step == nil || len(g.issues) == 0 {
				step = g.addEvents
			}
			step(r)
			require.Equal(r, g.wantedState(), g.readState(r))
		}
		g.requireFilters(r, t)
	})
}

// game is a project with its model.
type game struct {
	pair    [2]*store.Store
	clock   *storetest.Clock
	project int64

	issues map[int64]*playedIssue
	events map[int64]*playedEvent // stored ones, by id
	led    map[string]int64       // the issue that a group's events go to
	quota  map[string]int         // events of the project by hour
}

// playedIssue is an issue. Its exported fields are compared with the rows.
type playedIssue struct {
	ID                        int64
	Status                    core.Status
	MergedInto, Latest        int64
	Title                     string
	TimesSeen, StoredEvents   int64
	UsersAffected             int64
	FirstSeen, LastSeen       core.Time
	FirstRelease, LastRelease string
	Level                     string
	Hours, Places             []string
	Events                    []int64
	Fingerprints              int64
	Merges, Splits, SplitFrom int64
	Regressed                 int64
	statusAt                  core.Time
	firstKnown, lastKnown     core.Time // when the events with these releases happened
	users, hourly, placed     map[string]int
}

// playedEvent is a stored event.
type playedEvent struct {
	id, issue int64
	sent      intake.NewEvent
}

func (g *game) pickServer(r *rapid.T) *store.Store {
	return g.pair[rapid.IntRange(0, 1).Draw(r, "server")]
}

// addEvents sends new events.
func (g *game) addEvents(r *rapid.T) {
	var batch []intake.NewEvent
	for range rapid.IntRange(1, 6).Draw(r, "events") {
		e := storetest.MakeEvent(g.project, rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "group"), 0, g.clock.At(0))
		id := rapid.Uint64().Draw(r, "event id")
		copy(e.EventID[:], fmt.Sprintf("%016x", id))
		if slices.ContainsFunc(batch, func(b intake.NewEvent) bool { return b.EventID == e.EventID }) || g.findStored(e.EventID) != nil {
			continue
		}
		e.OccurredAt = g.clock.At(-time.Duration(rapid.IntRange(0, 300).Draw(r, "late")) * time.Minute)
		e.Release = rapid.SampledFrom([]string{"", "1.0", "1.1"}).Draw(r, "release")
		e.Level = rapid.SampledFrom([]string{"error", "warning", "fatal"}).Draw(r, "level")
		e.Environment = rapid.SampledFrom([]string{"", "production", "staging"}).Draw(r, "environment")
		e.Title = fmt.Sprintf("Error: %x", id)
		e.Payload = intake.PackPlain(fmt.Appendf(nil, `{"title": %q, "culprit": "there", "level": "error", "platform": "go"}`, e.Title))
		if n := rapid.IntRange(0, 4).Draw(r, "user"); n > 0 {
			e.User = storetest.HashUser(n)
		}
		batch = append(batch, e)
	}
	if len(batch) == 0 {
		return
	}
	added, err := g.pickServer(r).Intake.AddEvents(r.Context(), slices.Clone(batch))
	require.NoError(r, err)
	newest := map[int64]core.Time{}
	for n, e := range batch {
		require.False(r, added[n].Duplicate)
		require.NotZero(r, added[n].ID)
		group := string(e.Fingerprint[:])
		if g.led[group] == 0 {
			g.led[group] = added[n].IssueID
			g.issues[added[n].IssueID] = newPlayed(added[n].IssueID, e.Title, e.OccurredAt)
		}
		require.Equal(r, g.led[group], added[n].IssueID)
		i := g.issues[added[n].IssueID]
		g.events[added[n].ID] = &playedEvent{added[n].ID, i.ID, e}
		g.quota[storetest.FormatHour(e.ReceivedAt)]++
		i.seeEvent(e)
		if e.OccurredAt.After(newest[i.ID].Time) {
			newest[i.ID] = e.OccurredAt
		}
	}
	for id, at := range newest {
		if i := g.issues[id]; i.Status == core.Resolved && at.After(i.statusAt.Time) {
			i.Status, i.statusAt = core.Unresolved, g.clock.At(0)
			i.Regressed++
		}
	}
}

func newPlayed(id int64, title string, at core.Time) *playedIssue {
	return &playedIssue{
		ID: id, Title: title, Status: core.Unresolved, FirstSeen: at, LastSeen: at,
		users: map[string]int{}, hourly: map[string]int{}, placed: map[string]int{},
	}
}

// seeEvent counts an event.
func (i *playedIssue) seeEvent(e intake.NewEvent) {
	i.TimesSeen++
	i.hourly[storetest.FormatHour(e.OccurredAt)]++
	if e.User != [16]byte{} {
		i.users[string(e.User[:])]++
	}
	i.countName(e)
	if e.OccurredAt.Before(i.FirstSeen.Time) {
		i.FirstSeen = e.OccurredAt
	}
	if !e.OccurredAt.Before(i.LastSeen.Time) {
		i.LastSeen, i.Level = e.OccurredAt, e.Level
	}
	if e.Release != "" && (i.FirstRelease == "" || e.OccurredAt.Before(i.firstKnown.Time)) {
		i.firstKnown, i.FirstRelease = e.OccurredAt, e.Release
	}
	if e.Release != "" && !e.OccurredAt.Before(i.lastKnown.Time) {
		i.lastKnown, i.LastRelease = e.OccurredAt, e.Release
	}
}

func (i *playedIssue) countName(e intake.NewEvent) {
	for _, name := range []string{e.Environment, e.Release} {
		if name != "" {
			i.placed[name] = 1
		}
	}
}

func (g *game) findStored(id [16]byte) *playedEvent {
	for _, e := range g.events {
		if e.sent.EventID == id {
			return e
		}
	}
	return nil
}

// sendAgain sends a stored event again.
func (g *game) sendAgain(r *rapid.T) {
	e := g.events[rapid.SampledFrom(sortedKeys(g.events)).Draw(r, "sent")]
	added, err := g.pickServer(r).Intake.AddEvents(r.Context(), []intake.NewEvent{e.sent})
	require.NoError(r, err)
	require.Equal(r, []intake.Added{{ID: e.id, IssueID: e.issue, Duplicate: true}}, added)
}

func (g *game) setStatus(r *rapid.T) {
	i := g.issues[rapid.SampledFrom(sortedKeys(g.issues)).Draw(r, "issue")]
	to := rapid.SampledFrom([]core.Status{core.Resolved, core.Ignored, core.Unresolved}).Draw(r, "status")
	_, err := g.pickServer(r).SetIssueStatus(r.Context(), storetest.MakeActor(1), i.ID, to)
	switch {
	case i.Status == core.Merged:
		require.True(r, core.HasCode(err, core.NotFound))
	case i.Status != to:
		require.NoError(r, err)
		i.Status, i.statusAt = to, g.clock.At(0)
	default:
		require.NoError(r, err)
	}
}

// mergeSome merges random issues. Impossible merges must be refused and change nothing.
func (g *game) mergeSome(r *rapid.T) {
	ids := sortedKeys(g.issues)
	target := g.issues[rapid.SampledFrom(ids).Draw(r, "target")]
	sources := rapid.SliceOfN(rapid.SampledFrom(ids), 1, 4).Draw(r, "sources")
	merged, err := g.pickServer(r).CarryOut(r.Context(), storetest.MakeActor(1), store.MergeIssues{Target: target.ID, Sources: sources})
	wrong := target.Status == core.Merged
	for _, id := range sources {
		wrong = wrong || id == target.ID || g.issues[id].Status == core.Merged
	}
	if wrong {
		require.True(r, core.HasCode(err, core.InvalidRequest), "%v", err)
		return
	}
	require.NoError(r, err)
	require.Equal(r, target.ID, merged.Issue.ID)
	slices.Sort(sources)
	for _, id := range slices.Compact(sources) {
		g.mergeOne(target, g.issues[id])
	}
	target.Merges++
	require.Equal(r, target.TimesSeen, merged.Issue.TimesSeen)
}

func (g *game) mergeOne(target, source *playedIssue) {
	target.TimesSeen += source.TimesSeen
	if source.FirstSeen.Before(target.FirstSeen.Time) {
		target.FirstSeen = source.FirstSeen
	}
	if source.LastSeen.After(target.LastSeen.Time) {
		target.LastSeen, target.Level = source.LastSeen, source.Level
	}
	if source.FirstRelease != "" && (target.FirstRelease == "" || source.firstKnown.Before(target.firstKnown.Time)) {
		target.firstKnown, target.FirstRelease = source.firstKnown, source.FirstRelease
	}
	if source.LastRelease != "" && source.lastKnown.After(target.lastKnown.Time) {
		target.lastKnown, target.LastRelease = source.lastKnown, source.LastRelease
	}
	for _, move := range [][2]map[string]int{{target.users, source.users}, {target.hourly, source.hourly}, {target.placed, source.placed}} {
		for name, n := range move[1] {
			move[0][name] += n
		}
		clear(move[1])
	}
	for _, e := range g.events {
		if e.issue == source.ID {
			e.issue = target.ID
		}
	}
	for group, id := range g.led {
		if id == source.ID {
			g.led[group] = target.ID
		}
	}
	for _, i := range g.issues {
		if i.MergedInto == source.ID {
			i.MergedInto = target.ID
		}
	}
	if target.Status == core.Resolved && source.Status == core.Unresolved {
		target.Status, target.statusAt = core.Unresolved, g.clock.At(0)
		target.Regressed++
	}
	source.Status, source.MergedInto, source.TimesSeen = core.Merged, target.ID, 0
	source.Merges++
}

// splitSome splits random events off a random issue. Events of another issue must be refused.
func (g *game) splitSome(r *rapid.T) {
	original := g.issues[rapid.SampledFrom(sortedKeys(g.issues)).Draw(r, "original")]
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom(sortedKeys(g.events)), 1, 4, rapid.ID[int64]).Draw(r, "events")
	if mine := g.eventsOf(original.ID); len(mine) > 0 && rapid.IntRange(0, 3).Draw(r, "valid") > 0 {
		ids = rapid.SliceOfNDistinct(rapid.SampledFrom(mine), 1, len(mine), rapid.ID[int64]).Draw(r, "own events")
	}
	made, err := g.pickServer(r).SplitIssue(r.Context(), storetest.MakeActor(1), original.ID, ids, grouping.FindStoredType)
	if original.Status == core.Merged {
		require.True(r, core.HasCode(err, core.NotFound), "%v", err)
		return
	}
	for _, id := range ids {
		if g.events[id].issue != original.ID {
			require.True(r, core.HasCode(err, core.InvalidRequest), "%v", err)
			return
		}
	}
	require.NoError(r, err)
	require.Nil(r, g.issues[made.ID])
	moved := g.listChosen(ids)
	first := moved[0].sent
	i := newPlayed(made.ID, first.Title, first.OccurredAt)
	g.issues[made.ID] = i
	for _, e := range moved {
		i.seeEvent(e.sent)
		e.issue = i.ID
		hour := storetest.FormatHour(e.sent.OccurredAt)
		if original.hourly[hour]--; original.hourly[hour] == 0 {
			delete(original.hourly, hour)
		}
	}
	clear(i.users)
	original.TimesSeen = max(1, original.TimesSeen-int64(len(moved)))
	g.findEnds(original, i)
	original.Splits++
	i.SplitFrom++
}

// findEnds sets the original's times from its remaining events, where it lost the first or the last.
func (g *game) findEnds(original, made *playedIssue) {
	left := g.listChosen(g.eventsOf(original.ID))
	if len(left) == 0 {
		return
	}
	slices.SortStableFunc(left, func(a, b *playedEvent) int { return a.sent.OccurredAt.Compare(b.sent.OccurredAt.Time) })
	if !made.FirstSeen.After(original.FirstSeen.Time) {
		original.FirstSeen = left[0].sent.OccurredAt
	}
	if !made.LastSeen.Before(original.LastSeen.Time) {
		last := left[len(left)-1].sent
		original.LastSeen, original.Level = last.OccurredAt, last.Level
	}
	left = slices.DeleteFunc(left, func(e *playedEvent) bool { return e.sent.Release == "" })
	if made.FirstRelease == "" || len(left) == 0 {
		return
	}
	if !made.firstKnown.After(original.firstKnown.Time) {
		original.firstKnown, original.FirstRelease = left[0].sent.OccurredAt, left[0].sent.Release
	}
	if !made.lastKnown.Before(original.lastKnown.Time) {
		last := left[len(left)-1].sent
		original.lastKnown, original.LastRelease = last.OccurredAt, last.Release
	}
}

func (g *game) eventsOf(issue int64) []int64 {
	ids := []int64{}
	for id, e := range g.events {
		if e.issue == issue {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// listChosen returns the events in the order of their arrival.
func (g *game) listChosen(ids []int64) []*playedEvent {
	list := make([]*playedEvent, len(ids))
	for n, id := range ids {
		list[n] = g.events[id]
	}
	slices.SortFunc(list, func(a, b *playedEvent) int {
		return cmp.Or(a.sent.ReceivedAt.Compare(b.sent.ReceivedAt.Time), cmp.Compare(a.id, b.id))
	})
	return list
}

func sortedKeys[V any](m map[int64]V) []int64 {
	list := make([]int64, 0, len(m))
	for id := range m {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// played is the state of a game.
type played struct {
	Issues []playedIssue
	Hours  []string
}

func (g *game) wantedState() played {
	state := played{Issues: []playedIssue{}, Hours: storetest.ListHours(g.quota)}
	for _, id := range sortedKeys(g.issues) {
		i := *g.issues[id]
		i.Events = g.eventsOf(id)
		i.StoredEvents, i.UsersAffected, i.Hours, i.Places = int64(len(i.Events)), int64(len(i.users)), storetest.ListHours(i.hourly), []string{}
		for name := range i.placed {
			i.Places = append(i.Places, name)
		}
		slices.Sort(i.Places)
		if stored := g.listChosen(i.Events); len(stored) > 0 {
			i.Latest = stored[len(stored)-1].id
		}
		for _, to := range g.led {
			if to == id {
				i.Fingerprints++
			}
		}
		i.firstKnown, i.lastKnown = core.Time{}, core.Time{}
		i.statusAt, i.users, i.hourly, i.placed = core.Time{}, nil, nil, nil
		state.Issues = append(state.Issues, i)
	}
	return state
}

const playedIssues = `
SELECT i.id, i.status, coalesce(i.merged_into, 0) AS merged_into, coalesce(i.latest_event_id, 0) AS latest, i.title, i.times_seen,
	i.stored_events, i.users_affected, i.first_seen, i.last_seen, i.first_release, i.last_release, i.level,
	ARRAY(SELECT to_char(hour AT TIME ZONE 'UTC', 'DD HH24') || '=' || events FROM issue_hours
		WHERE project_id = i.project_id AND issue_id = i.id ORDER BY 1) AS hours,
	ARRAY(SELECT environment FROM issue_environments WHERE project_id = i.project_id AND issue_id = i.id
		UNION ALL SELECT release FROM issue_releases WHERE project_id = i.project_id AND issue_id = i.id ORDER BY 1) AS places,
	ARRAY(SELECT e.id FROM events e JOIN event_ids d ON d.project_id = e.project_id AND d.event_id = e.event_id AND d.id = e.id
			AND d.issue_id = e.issue_id
		WHERE e.project_id = i.project_id AND e.issue_id = i.id ORDER BY 1) AS events,
	(SELECT count(*) FROM issue_fingerprints WHERE project_id = i.project_id AND issue_id = i.id) AS fingerprints,
	(SELECT count(*) FROM activity WHERE project_id = i.project_id AND target_id = i.id AND action = 'issue.merge') AS merges,
	(SELECT count(*) FROM activity WHERE project_id = i.project_id AND target_id = i.id AND action = 'issue.split') AS splits,
	(SELECT count(*) FROM activity WHERE project_id = i.project_id AND target_id = i.id AND action = 'issue.split_from') AS split_from,
	(SELECT count(*) FROM activity WHERE project_id = i.project_id AND target_id = i.id AND action = 'issue.regress') AS regressed
FROM issues i WHERE i.project_id = $1 ORDER BY i.id`

func (g *game) readState(r *rapid.T) played {
	rows, err := storetest.QuerySQL(r.Context(), g.pair[0], playedIssues, g.project)
	require.NoError(r, err)
	issues, err := pgx.CollectRows(rows, pgx.RowToStructByName[playedIssue])
	require.NoError(r, err)
	rows, err = storetest.QuerySQL(r.Context(), g.pair[0], `SELECT to_char(hour AT TIME ZONE 'UTC', 'DD HH24') || '=' || events
		FROM project_hours
		WHERE project_id = $1 ORDER BY 1`, g.project)
	require.NoError(r, err)
	hours, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(r, err)
	return played{issues, hours}
}
