package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"time"
)

// ErrForeign is the error of a store that belongs to another installation.
var ErrForeign = errors.New("it belongs to another installation")

// ErrKept is the error for a deletion that must wait, because a copy of the database may still need the blob.
var ErrKept = errors.New("it is not deleted now")

// The keys of the marks. A store has one mark of its installation, and one of each copy of the database that uses it.
const (
	installationKey = "installation"
	databasePrefix  = "databases/"
)

const (
	// maxMark bounds a mark in bytes.
	maxMark = 200
	// checkMarkEvery is how long reads and deletions trust the marks. Every Put reads them.
	checkMarkEvery = time.Minute
	// keepAfterRestore is how long a restored database deletes nothing. In this time a live copy renews its mark.
	keepAfterRestore = 24 * time.Hour
	// copyIsAlive is the greatest age of a live copy's mark: it is renewed every hour.
	copyIsAlive = 25 * time.Hour
	// adoptLooksAt is how many blobs of a store without a mark are checked.
	adoptLooksAt = 1000
)

// Owner identifies the user of a store.
type Owner struct {
	Installation string    // its id
	Database     string    // identifies the database: a restored copy has another value, and the same Installation
	RestoredAt   time.Time // when this database was first seen; zero for the original database
	Prefix       string    // of the keys that are protected; others may always be deleted
	// KnowsAny reports whether the database records any of the blobs. If it does, a store without a mark is adopted.
	KnowsAny func(ctx context.Context, keys []string) (bool, error)
	Clock    func() time.Time
}

// OwnedStore is a store for one installation: it carries the installation's mark, and refuses everything with ErrForeign when it
// carries another. Blobs are not deleted while a copy of the database may need them. It is safe for concurrent use.
type OwnedStore struct {
	store Store
	owner Owner

	mu        sync.Mutex
	owned     verdict
	deletable verdict
}

// verdict is the result of reading the marks.
type verdict struct {
	err   error
	until time.Time // when to read them again
}

// CheckOwner returns ErrForeign when a store carries the mark of another installation than the given one; an empty one owns none.
func CheckOwner(ctx context.Context, s Store, installation string) error {
	owned := &OwnedStore{store: s}
	switch mark, err := owned.readMark(ctx); {
	case errors.Is(err, ErrNotFound) || err == nil && mark == installation && mark != "":
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("%s: %w: it carries the mark of installation %q", s, ErrForeign, mark)
	}
}

// Own makes an OwnedStore. It reads and writes nothing yet.
func Own(s Store, o Owner) *OwnedStore { return &OwnedStore{store: s, owner: o} }

// Renew marks the store as this installation's, and its database as alive. Call it at the start and every hour.
func (s *OwnedStore) Renew(ctx context.Context) error {
	if err := s.checkOwned(ctx, true); err != nil {
		return err
	}
	text := strings.NewReader("A database that uses this store, since the time of this file.\n")
	_, err := s.store.Put(ctx, databasePrefix+s.owner.Database, text, maxMark)
	return err
}

// CheckDeletion returns ErrKept, with the reason, while blobs must not be deleted.
func (s *OwnedStore) CheckDeletion(ctx context.Context) error {
	if err := s.checkOwned(ctx, false); err != nil {
		return err
	}
	return s.recall(&s.deletable, false, ErrKept, func(now time.Time) error { return s.findReasonToKeep(ctx, now) })
}

// recall returns a remembered verdict while it may be trusted, or else a new one. It remembers no errors except the refusal.
func (s *OwnedStore) recall(v *verdict, isStale bool, refusal error, find func(now time.Time) error) error {
	now := s.owner.Clock()
	s.mu.Lock()
	old := *v
	s.mu.Unlock()
	if !isStale && now.Before(old.until) {
		return old.err
	}
	err := find(now)
	if err == nil || errors.Is(err, refusal) {
		s.mu.Lock()
		*v = verdict{err, now.Add(checkMarkEvery)}
		s.mu.Unlock()
	}
	return err
}

func (s *OwnedStore) findReasonToKeep(ctx context.Context, now time.Time) error {
	if end := s.owner.RestoredAt.Add(keepAfterRestore); now.Before(end) {
		return fmt.Errorf("%w: the database was restored or moved, and a server on the other copy may need it: deleting begins at %s",
			ErrKept, end.UTC().Format(time.RFC3339))
	}
	for entry, err := range s.store.List(ctx, databasePrefix) {
		if err != nil {
			return err
		}
		other := strings.TrimPrefix(entry.Key, databasePrefix)
		if other != s.owner.Database && now.Sub(entry.ModifiedAt) < copyIsAlive {
			return fmt.Errorf("%w: a server on a copy of the database used %s at %s: give each copy a BLOBS of its own",
				ErrKept, s.store, entry.ModifiedAt.UTC().Format(time.RFC3339))
		}
	}
	return nil
}

// checkOwned returns ErrForeign unless the store carries the installation's mark. It puts the mark there first if it may.
func (s *OwnedStore) checkOwned(ctx context.Context, readsAgain bool) error {
	return s.recall(&s.owned, readsAgain, ErrForeign, func(time.Time) error { return s.compareMark(ctx) })
}

func (s *OwnedStore) compareMark(ctx context.Context) error {
	mark, err := s.readMark(ctx)
	switch {
	case errors.Is(err, ErrNotFound):
		return s.adopt(ctx)
	case err != nil:
		return err
	case mark != s.owner.Installation:
		return s.refuse(fmt.Sprintf("it carries the mark of installation %q", mark))
	}
	return nil
}

// refuse makes the error for a foreign store, with advice.
func (s *OwnedStore) refuse(reason string) error {
	return fmt.Errorf("%s: %w: %s. Set BLOBS to a folder or prefix of its own; or, if no other server uses this one, write %s into %s",
		s.store, ErrForeign, reason, s.owner.Installation, s.store.Locate(installationKey))
}

func (s *OwnedStore) readMark(ctx context.Context) (string, error) {
	object, err := s.store.Open(ctx, installationKey)
	if err != nil {
		return "", err
	}
	defer object.Close()
	text, err := io.ReadAll(io.NewSectionReader(object, 0, min(object.Size(), maxMark)))
	return strings.TrimSpace(string(text)), err
}

// adopt marks a store without a mark: an empty one, or one with blobs of this installation, from before there were marks.
func (s *OwnedStore) adopt(ctx context.Context) error {
	var keys []string
	for entry, err := range s.store.List(ctx, s.owner.Prefix) {
		if err != nil {
			return err
		}
		if keys = append(keys, entry.Key); len(keys) == adoptLooksAt {
			break
		}
	}
	if len(keys) > 0 {
		isKnown, err := s.owner.KnowsAny(ctx, keys)
		if err != nil {
			return err
		}
		if !isKnown {
			return s.refuse("it holds source maps that this installation does not know")
		}
	}
	_, err := s.store.Put(ctx, installationKey, strings.NewReader(s.owner.Installation+"\n"), maxMark)
	return err
}

// Put stores data under the key, as in Store.
func (s *OwnedStore) Put(ctx context.Context, key string, data io.Reader, limit int64) (Written, error) {
	if err := s.checkOwned(ctx, true); err != nil {
		return Written{}, s.describe("writing", key, err)
	}
	return s.store.Put(ctx, key, data, limit)
}

// Open opens a blob for reading, as in Store.
func (s *OwnedStore) Open(ctx context.Context, key string) (Object, error) {
	if err := s.checkOwned(ctx, false); err != nil {
		return nil, s.describe("opening", key, err)
	}
	return s.store.Open(ctx, key)
}

// Delete deletes a blob, if it is there and nobody else may need it; otherwise it returns ErrKept.
func (s *OwnedStore) Delete(ctx context.Context, key string) error {
	check := s.CheckDeletion
	if !strings.HasPrefix(key, s.owner.Prefix) {
		check = func(ctx context.Context) error { return s.checkOwned(ctx, false) }
	}
	if err := check(ctx); err != nil {
		return s.describe("deleting", key, err)
	}
	return s.store.Delete(ctx, key)
}

// List walks the blobs, as in Store.
func (s *OwnedStore) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := s.checkOwned(ctx, false); err != nil {
			yield(Entry{}, s.describe("listing", prefix, err))
			return
		}
		s.store.List(ctx, prefix)(yield)
	}
}

// Ping returns an error when the store cannot be used, or belongs to another installation.
func (s *OwnedStore) Ping(ctx context.Context) error {
	if err := s.store.Ping(ctx); err != nil {
		return err
	}
	return s.checkOwned(ctx, true)
}

// Locate returns where a blob is, for people.
func (s *OwnedStore) Locate(key string) string { return s.store.Locate(key) }

// String returns where the store is, without credentials.
func (s *OwnedStore) String() string { return s.store.String() }

// Close ends the use of the store.
func (s *OwnedStore) Close() error { return s.store.Close() }

// describe makes an Error from an error of the marks; an error of the store is already one.
func (s *OwnedStore) describe(action, key string, err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return describeError(s.store.String(), action, key, err)
}
