package store

import (
	"cmp"
	"context"
	"slices"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// maxMissing is how many reasons and files of a release ReadSourceMapState returns.
const maxMissing = 20

// ReadSourceMapState reports what source maps did for the newest stored events of the issues of a project that were seen last.
func (s *Store) ReadSourceMapState(ctx context.Context, project int64) (core.SourceMapState, error) {
	issues, err := s.listIssues(ctx, IssueFilter{ProjectID: project, Paging: core.Paging{Limit: core.MapStateIssues}})
	if err != nil {
		return core.SourceMapState{}, err
	}
	projects, ids, _ := pg.SplitColumns(issues.Data, func(i core.Issue) (project, issue int64, _ struct{}) {
		return i.ProjectID, i.ID, struct{}{}
	})
	rows, err := pg.QueryEach[storedEvent](ctx, s.db, s.db.Main, selectNewestOfIssues,
		pg.Args{"projects": projects, "ids": ids, "rows": core.MapStateEvents}, projects)
	if err != nil {
		return core.SourceMapState{}, err
	}
	slices.SortFunc(rows, func(a, b storedEvent) int { return b.ReceivedAt.Compare(a.ReceivedAt.Time) })
	counter := mapCounter{state: core.SourceMapState{Events: int64(len(rows))}, places: map[core.Untrusted]int{}}
	for _, row := range rows {
		event, err := s.Intake.UnpackEvent(ctx, project, intake.Payload{Bytes: row.Payload, Dictionary: row.Dictionary})
		switch {
		case ctx.Err() != nil:
			return core.SourceMapState{}, ctx.Err()
		case core.HasCode(err, core.Unavailable):
			return core.SourceMapState{}, err
		case err == nil:
			counter.addEvent(row.toCore(), &event)
		}
	}
	return counter.finish(), nil
}

// mapCounter counts mapped frames by release.
type mapCounter struct {
	state  core.SourceMapState
	places map[core.Untrusted]int // of the releases in the state
}

// addEvent counts the frames of an event. Events come the newest first.
func (c *mapCounter) addEvent(row core.EventRow, event *core.Event) {
	var release *core.ReleaseMapState
	event.VisitMinified(func(f *core.Frame, whyNot string) {
		if release == nil {
			release = c.findRelease(row)
			release.Events++
		}
		if whyNot == "" {
			release.Mapped++
			return
		}
		release.Unmapped++
		file := cmp.Or(f.AbsPath, f.Filename)
		i := slices.IndexFunc(release.Missing, func(m core.MissingMapping) bool { return m.Reason == whyNot && m.File == file })
		if i < 0 {
			i = len(release.Missing)
			release.Missing = append(release.Missing, core.MissingMapping{Reason: whyNot, File: file, DebugID: event.FindDebugID(file)})
		}
		release.Missing[i].Frames++
	})
}

func (c *mapCounter) findRelease(row core.EventRow) *core.ReleaseMapState {
	place, isKnown := c.places[row.Release]
	if !isKnown {
		place = len(c.state.Releases)
		c.places[row.Release] = place
		c.state.Releases = append(c.state.Releases, core.ReleaseMapState{Release: row.Release, LastEventAt: row.ReceivedAt})
	}
	return &c.state.Releases[place]
}

// finish sorts and cuts what was missing.
func (c *mapCounter) finish() core.SourceMapState {
	for i := range c.state.Releases {
		missing := c.state.Releases[i].Missing
		slices.SortStableFunc(missing, func(a, b core.MissingMapping) int { return cmp.Compare(b.Frames, a.Frames) })
		c.state.Releases[i].Missing = missing[:min(len(missing), maxMissing)]
	}
	return c.state
}
