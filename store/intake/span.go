package intake

import (
	"maps"

	"errand/core"
	"errand/store/pg"
)

// Span is the time over which an issue was seen, with facts about its ends (decisions 3): first_release and last_release
// are the first and last known, so that an event without a release changes neither, and level comes from the latest event.
// Events are ordered by when they happened; of two at the same time, the later arrival is the later event.
type Span struct {
	FirstSeen      core.Time
	LastSeen       core.Time
	Level          string // from the event at LastSeen
	FirstRelease   string
	FirstReleaseAt core.Time // when the event with FirstRelease happened; zero without one
	LastRelease    string
	LastReleaseAt  core.Time
}

// IncludeEvent widens the span by an event that arrived after all others.
func (s *Span) IncludeEvent(at core.Time, level, release string) {
	if s.FirstSeen.IsZero() || at.Before(s.FirstSeen.Time) {
		s.FirstSeen = at
	}
	if !at.Before(s.LastSeen.Time) {
		s.LastSeen, s.Level = at, level
	}
	if release == "" {
		return
	}
	if s.FirstReleaseAt.IsZero() || at.Before(s.FirstReleaseAt.Time) {
		s.FirstReleaseAt, s.FirstRelease = at, release
	}
	if !at.Before(s.LastReleaseAt.Time) {
		s.LastReleaseAt, s.LastRelease = at, release
	}
}

// IncludeSpan widens the span by another issue's. At equal times its own ends stay.
func (s *Span) IncludeSpan(other Span) {
	if other.FirstSeen.Before(s.FirstSeen.Time) {
		s.FirstSeen = other.FirstSeen
	}
	if other.LastSeen.After(s.LastSeen.Time) {
		s.LastSeen, s.Level = other.LastSeen, other.Level
	}
	if other.FirstReleaseAt.IsZero() {
		return
	}
	if s.FirstReleaseAt.IsZero() || other.FirstReleaseAt.Before(s.FirstReleaseAt.Time) {
		s.FirstReleaseAt, s.FirstRelease = other.FirstReleaseAt, other.FirstRelease
	}
	if other.LastReleaseAt.After(s.LastReleaseAt.Time) {
		s.LastReleaseAt, s.LastRelease = other.LastReleaseAt, other.LastRelease
	}
}

// RemoveEvents takes events off the span. An end that is not before theirs falls back to the end of the remaining events;
// without any it stays.
func (s *Span) RemoveEvents(gone, left Span) {
	if !gone.FirstSeen.After(s.FirstSeen.Time) && !left.FirstSeen.IsZero() {
		s.FirstSeen = left.FirstSeen
	}
	if !gone.LastSeen.Before(s.LastSeen.Time) && !left.LastSeen.IsZero() {
		s.LastSeen, s.Level = left.LastSeen, left.Level
	}
	if gone.FirstReleaseAt.IsZero() || left.FirstReleaseAt.IsZero() {
		return
	}
	if !gone.FirstReleaseAt.After(s.FirstReleaseAt.Time) {
		s.FirstReleaseAt, s.FirstRelease = left.FirstReleaseAt, left.FirstRelease
	}
	if !gone.LastReleaseAt.Before(s.LastReleaseAt.Time) {
		s.LastReleaseAt, s.LastRelease = left.LastReleaseAt, left.LastRelease
	}
}

// Args returns the arguments of a statement that writes the span, added to more.
func (s *Span) Args(more pg.Args) pg.Args {
	args := pg.Args{
		"first_seen": s.FirstSeen, "last_seen": s.LastSeen, "level": s.Level, "first_release": s.FirstRelease,
		"first_release_at": s.FirstReleaseAt, "last_release": s.LastRelease, "last_release_at": s.LastReleaseAt,
	}
	maps.Copy(args, more)
	return args
}
