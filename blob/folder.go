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
	"time"
)

// Names in the folder that no key has. Blobs are spread over shards, so that no folder has very many files.
const (
	temporaryFolder = ".tmp"
	shardPrefix     = "="
	folderMode      = 0o700
	fileMode        = 0o600
)

// temporaryLife is how long a file that a crash has left half-written is kept: nobody writes one for longer.
const temporaryLife = 24 * time.Hour

// maxPutTries bounds how often Put makes a folder again that a Delete has just removed as empty.
const maxPutTries = 20

// folderStore is a store in a folder. Every access goes through an os.Root, so nothing outside of the folder is reached,
// whatever keys and links there are.
type folderStore struct {
	path string
	root *os.Root
}

func openFolder(u *url.URL) (Store, error) {
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
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, describeError(s.String(), "opening the folder", "", err)
	}
	s.root = root
	if err := s.clearTemporary(); err != nil {
		_ = root.Close()
		return nil, describeError(s.String(), "clearing temporary files", "", err)
	}
	return s, nil
}

func (s *folderStore) String() string { return "file://" + filepath.ToSlash(s.path) }
func (s *folderStore) Close() error   { return s.root.Close() }

// clearTemporary makes the folder for half-written files, and deletes those that were left there long ago.
func (s *folderStore) clearTemporary() error {
	if err := s.root.MkdirAll(temporaryFolder, folderMode); err != nil {
		return err
	}
	entries, err := fs.ReadDir(s.root.FS(), temporaryFolder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > temporaryLife {
			_ = s.root.Remove(path.Join(temporaryFolder, entry.Name()))
		}
	}
	return nil
}

// filePath returns where the blob of a key stands: its last part in a shard below the others.
func filePath(key string) string {
	sum := sha256.Sum256([]byte(key))
	folder, name := path.Split(key)
	return folder + shardPrefix + hex.EncodeToString(sum[:1]) + "/" + name
}

// Put writes a temporary file, makes it safe on the disk, and renames it.
func (s *folderStore) Put(ctx context.Context, key string, data io.Reader, limit int64) (Written, error) {
	if err := checkKey(key); err != nil {
		return Written{}, err
	}
	temporary := path.Join(temporaryFolder, rand.Text())
	written, err := s.writeFile(ctx, temporary, data, limit)
	if err == nil {
		err = s.moveFile(temporary, filePath(key))
	}
	if err != nil {
		_ = s.root.Remove(temporary)
		return Written{}, describeError(s.String(), "writing", key, err)
	}
	return written, nil
}

func (s *folderStore) writeFile(ctx context.Context, name string, data io.Reader, limit int64) (Written, error) {
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return Written{}, err
	}
	written, err := receiveData(ctx, file, data, limit)
	if err == nil {
		err = file.Sync()
	}
	return written, errors.Join(err, file.Close())
}

// moveFile moves a file, and makes its name safe on the disk.
func (s *folderStore) moveFile(from, to string) error {
	folder := path.Dir(to)
	for try := 1; ; try++ {
		err := s.root.MkdirAll(folder, folderMode)
		if err == nil {
			err = s.root.Rename(from, to)
		}
		if err == nil {
			break
		}
		if try == maxPutTries || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for ; ; folder = path.Dir(folder) { // the folders may be as new as the file
		if err := s.syncFolder(folder); err != nil || folder == "." {
			return err
		}
	}
}

func (s *folderStore) syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	folder, err := s.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the blob was deleted at the same time
	}
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Open opens the file.
func (s *folderStore) Open(ctx context.Context, key string) (Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	object, err := s.openFile(ctx, filePath(key))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, describeError(s.String(), "opening", key, err)
	}
	return object, nil
}

func (s *folderStore) openFile(ctx context.Context, name string) (*fileObject, error) {
	file, err := s.root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &fileObject{File: file, ctx: ctx, size: info.Size()}, nil
}

// fileObject is an open file.
type fileObject struct {
	*os.File
	ctx  context.Context
	size int64
}

func (o *fileObject) Size() int64 { return o.size }

func (o *fileObject) ReadAt(into []byte, offset int64) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.File.ReadAt(into, offset)
}

// Delete deletes the file, and its shard when it was the last in it.
func (s *folderStore) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := ctx.Err()
	if err == nil {
		err = s.root.Remove(filePath(key))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return describeError(s.String(), "deleting", key, err)
	}
	for folder := path.Dir(filePath(key)); folder != "."; folder = path.Dir(folder) {
		if s.root.Remove(folder) != nil { // it is not empty
			break
		}
	}
	return nil
}

// List walks the folders that can have such keys.
func (s *folderStore) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := checkPrefix(prefix)
		if err == nil {
			err = s.walkEntries(ctx, prefix, func(e Entry) bool { return yield(e, nil) })
		}
		if err != nil {
			yield(Entry{}, describeError(s.String(), "listing", prefix, err))
		}
	}
}

func (s *folderStore) walkEntries(ctx context.Context, prefix string, visit func(Entry) bool) error {
	start := "."
	if slash := strings.LastIndexByte(prefix, '/'); slash > 0 {
		start = prefix[:slash]
	}
	return fs.WalkDir(s.root.FS(), start, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
			return nil
		case err != nil:
			return err
		case d.IsDir() && name == temporaryFolder:
			return fs.SkipDir
		}
		folder, file := path.Split(name)
		key := path.Join(path.Dir(path.Clean(folder)), file)
		if !d.Type().IsRegular() || !strings.HasPrefix(key, prefix) || !strings.HasPrefix(path.Base(folder), shardPrefix) {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !visit(Entry{Key: key, Size: info.Size(), ModifiedAt: info.ModTime()}) {
			return fs.SkipAll
		}
		return err
	})
}

// Ping writes a file and deletes it.
func (s *folderStore) Ping(ctx context.Context) error {
	name := path.Join(temporaryFolder, rand.Text())
	_, err := s.writeFile(ctx, name, strings.NewReader("ping"), 8)
	if err == nil {
		err = s.root.Remove(name)
	}
	return describeError(s.String(), "writing to", "", err)
}
