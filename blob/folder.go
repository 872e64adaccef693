package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Names in the folder that are never keys. Blobs are spread over shards, so that no folder has very many files.
const (
	temporaryFolder = ".tmp"
	shardPrefix     = "="
	folderMode      = 0o700
	fileMode        = 0o600
)

// temporaryLife is how long a half-written file is kept after a crash: no write takes longer.
const temporaryLife = 24 * time.Hour

// maxPutTries bounds how often Put makes a folder again that a concurrent Delete removed as empty.
const maxPutTries = 20

// folderStore is a store in a folder.
type folderStore struct {
	path string

	mu      sync.Mutex
	current *openFolder
}

func openFolderStore(u *url.URL) (Store, error) {
	if u.Host != "" && u.Host != "localhost" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("BLOBS must be file:/// and the path of a folder of this machine")
	}
	folder := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" {
		folder = strings.TrimPrefix(folder, `\`) // \C:\folder
	}
	if !filepath.IsAbs(folder) {
		return nil, errors.New("BLOBS must have an absolute path after file://")
	}
	s := &folderStore{path: folder}
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return nil, describeError(s.String(), "creating the folder", "", err)
	}
	if _, err := s.open(); err != nil {
		return nil, describeError(s.String(), "opening the folder", "", err)
	}
	return s, nil
}

// open returns the current folder at the path: it differs from the last one when a volume was mounted or a copy was moved there.
// A missing folder is not made again: the volume may only be away.
func (s *folderStore) open() (*openFolder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.path)
	if err != nil || s.current != nil && os.SameFile(info, s.current.info) {
		return s.current, err
	}
	root, err := os.OpenRoot(s.path)
	if err != nil {
		return nil, err
	}
	f := &openFolder{root: root}
	if f.info, err = root.Stat("."); err == nil {
		err = f.clearTemporary()
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	s.current = f // the previous folder may be in use, and is closed when nobody uses it any more
	return f, nil
}

func (s *folderStore) String() string { return "file://" + filepath.ToSlash(s.path) }
func (s *folderStore) Close() error   { return s.current.root.Close() }

// Locate returns the path of a file.
func (s *folderStore) Locate(key string) string {
	return filepath.Join(s.path, filepath.FromSlash(filePath(key)))
}

// filePath returns the path of a key's blob: its last part in a shard below the others.
func filePath(key string) string {
	sum := sha256.Sum256([]byte(key))
	folder, name := path.Split(key)
	return folder + shardPrefix + hex.EncodeToString(sum[:1]) + "/" + name
}

// Put writes a temporary file, syncs it to the disk, and renames it.
func (s *folderStore) Put(ctx context.Context, key string, data io.Reader, limit int64) (Written, error) {
	if err := checkKey(key); err != nil {
		return Written{}, err
	}
	f, err := s.open()
	if err != nil {
		return Written{}, describeError(s.String(), "writing", key, err)
	}
	temporary := path.Join(temporaryFolder, rand.Text())
	written, err := f.writeFile(ctx, temporary, data, limit)
	if err == nil {
		err = f.moveFile(temporary, filePath(key))
	}
	if err != nil {
		_ = f.root.Remove(temporary)
		return Written{}, describeError(s.String(), "writing", key, err)
	}
	return written, nil
}

// Open opens the file.
func (s *folderStore) Open(ctx context.Context, key string) (Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	f, err := s.open()
	if err != nil {
		return nil, describeError(s.String(), "opening", key, err)
	}
	object, err := f.openFile(ctx, filePath(key))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, describeError(s.String(), "opening", key, err)
	}
	return object, nil
}

// Delete deletes the file, and its shard when that is empty.
func (s *folderStore) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	f, err := s.open()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return describeError(s.String(), "deleting", key, err)
	}
	if err := f.root.Remove(filePath(key)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return describeError(s.String(), "deleting", key, err)
	}
	for folder := path.Dir(filePath(key)); folder != "."; folder = path.Dir(folder) {
		if f.root.Remove(folder) != nil { // it is not empty
			break
		}
	}
	return nil
}

// List walks the folders that may contain such keys.
func (s *folderStore) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := s.open()
		if err == nil {
			err = checkPrefix(prefix)
		}
		if err == nil {
			err = f.walkEntries(ctx, prefix, func(e Entry) bool { return yield(e, nil) })
		}
		if err != nil {
			yield(Entry{}, describeError(s.String(), "listing", prefix, err))
		}
	}
}

// Ping writes a file and deletes it.
func (s *folderStore) Ping(ctx context.Context) error {
	name := path.Join(temporaryFolder, rand.Text())
	f, err := s.open()
	if err == nil {
		_, err = f.writeFile(ctx, name, strings.NewReader("ping"), 8)
	}
	if err == nil {
		err = f.root.Remove(name)
	}
	return describeError(s.String(), "writing to", "", err)
}
