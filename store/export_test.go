package store

// Forget makes the writer of events as ignorant as one that has just started.
func (s *Store) Forget() { s.known = newKnown() }
