package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"time"
)

// openFolder is the current folder at the path. Every access goes through an os.Root, so that no key and no link leads outside of
// the folder.
type openFolder struct {
	root *os.Root
	info os.FileInfo
}

// clearTemporary makes the folder for half-written files, and deletes old ones in it.
func (f *openFolder) clearTemporary() error {
	if err := f.root.MkdirAll(temporaryFolder, folderMode); err != nil {
		return err
	}
	entries, err := fs.ReadDir(f.root.FS(), temporaryFolder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > temporaryLife {
			_ = f.root.Remove(path.Join(temporaryFolder, entry.Name()))
		}
	}
	return nil
}

func (f *openFolder) writeFile(ctx context.Context, name string, data io.Reader, limit int64) (Written, error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return Written{}, err
	}
	written, err := receiveData(ctx, file, data, limit)
	if err == nil {
		err = file.Sync()
	}
	return written, errors.Join(err, file.Close())
}

// moveFile moves a file, and syncs its name to the disk.
func (f *openFolder) moveFile(from, to string) error {
	folder := path.Dir(to)
	for try := 1; ; try++ {
		err := f.root.MkdirAll(folder, folderMode)
		if err == nil {
			err = f.root.Rename(from, to)
		}
		if err == nil {
			break
		}
		if try == maxPutTries || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for ; ; folder = path.Dir(folder) { // the folders may be as new as the file
		if err := f.syncFolder(folder); err != nil || folder == "." {
			return err
		}
	}
}

func (f *openFolder) syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	folder, err := f.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the blob was deleted at the same time
	}
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (f *openFolder) openFile(ctx context.Context, name string) (*fileObject, error) {
	file, err := f.root.Open(name)
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

func (f *openFolder) walkEntries(ctx context.Context, prefix string, visit func(Entry) bool) error {
	start := "."
	if slash := strings.LastIndexByte(prefix, '/'); slash > 0 {
		start = prefix[:slash]
	}
	return fs.WalkDir(f.root.FS(), start, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted in between
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
