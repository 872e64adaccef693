package store

import "errand/core"

// span is the time over which an issue was seen, and what its ends say (decisions 3): first_release and last_release are
// the first and last known, so that an event without a release changes neither, and level is the latest event's. The order
// is that in which the events happened; of two at the same time, the one that arrived later is the later one.
type span struct {
	FirstSeen      core.Time
	LastSeen       core.Time
	Level          string // of the event at LastSeen
	FirstRelease   string
	FirstReleaseAt core.Time // when the event was that FirstRelease is of; zero without one
	LastRelease    string
	LastReleaseAt  core.Time
}

// firstReleaseAt and lastReleaseAt are FirstReleaseAt and LastReleaseAt of the issues, called i, also of those that an older
// server wrote.
const (
	firstReleaseAt = `coalesce(i.first_release_at, CASE WHEN i.first_release <> '' THEN i.first_seen END)`
	lastReleaseAt  = `coalesce(i.last_release_at, CASE WHEN i.last_release <> '' THEN i.last_seen END)`
)

// spanColumns are the columns of an issue's span.
const spanColumns = `i.first_seen, i.last_seen, i.level, i.first_release, ` + firstReleaseAt + ` AS first_release_at, i.last_release, ` +
	lastReleaseAt + ` AS last_release_at`

// setSpan writes a span, from span.args.
const setSpan = `first_seen = @first_seen, last_seen = @last_seen, level = @level, first_release = @first_release,
	first_release_at = @first_release_at, last_release = @last_release, last_release_at = @last_release_at`

// see widens the span by an event that arrived after all others.
func (s *span) see(at core.Time, level, release string) {
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

// join widens the span by that of another issue. At the same time its own ends stay.
func (s *span) join(other span) {
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

// lose takes events off the span: an end that is not before theirs falls back to that of the events which are left. Without
// any, it stays.
func (s *span) lose(gone, left span) {
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

// args are the arguments of a statement that writes the span.
func (s *span) args(more args) args {
	a := args{
		"first_seen": s.FirstSeen, "last_seen": s.LastSeen, "level": s.Level, "first_release": s.FirstRelease,
		"first_release_at": s.FirstReleaseAt, "last_release": s.LastRelease, "last_release_at": s.LastReleaseAt,
	}
	for name, value := range more {
		a[name] = value
	}
	return a
}
