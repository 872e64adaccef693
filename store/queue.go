package store

import "github.com/riverqueue/river/riverdriver/riverpgxv5"

// QueueDriver lets the queue of background jobs work on the store's connections. Its tables are the queue's alone: what
// is to be done stands in ours, and a queue that is emptied loses nothing.
func (s *Store) QueueDriver() *riverpgxv5.Driver { return riverpgxv5.New(s.pool) }
