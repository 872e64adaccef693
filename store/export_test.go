package store

import "context"

// Forget makes the writer of events as ignorant as one that has just started.
func (s *Store) Forget() { s.known = newKnown() }

// TakeEventIDs takes n ids for events.
func (s *Store) TakeEventIDs(ctx context.Context, n int) ([]int64, error) {
	return s.ids.take(ctx, eventIDs, n)
}

// TakeIssueID takes an id for an issue.
func (s *Store) TakeIssueID(ctx context.Context) (int64, error) { return s.ids.one(ctx, issueIDs) }
