package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxWorker is the longest name of a worker.
const maxWorker = 64

// keepDone is how long the ids of finished deliveries are remembered. Errand repeats a delivery for 45 hours.
const keepDone = 7 * 24 * time.Hour

// inbox is a folder with the taken deliveries: <id>.json until the work is done, then an empty <id>.done, which identifies
// repeats. A runner that was killed continues with it at its next start.
type inbox struct {
	folder string
	mu     sync.Mutex
}

func openInbox(folder string) (*inbox, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("-state: %w", err)
	}
	return &inbox{folder: folder}, nil
}

// nameWorker returns the name of this runner in its claims. It stays the same after a restart, so that a killed runner continues
// with its claims, and differs between folders.
func (i *inbox) nameWorker() (string, error) {
	file := filepath.Join(i.folder, "worker")
	kept, err := os.ReadFile(file)
	if name := strings.TrimSpace(string(kept)); err == nil && name != "" && len(name) <= maxWorker {
		return name, nil
	}
	name := "runner-" + rand.Text()
	if err := writeSynced(file, []byte(name+"\n")); err != nil {
		return "", fmt.Errorf("-state: %w", err)
	}
	return name, nil
}

func (i *inbox) fileOf(id int64, ending string) string {
	return filepath.Join(i.folder, strconv.FormatInt(id, 10)+ending)
}

// knowsDelivery reports whether a delivery was taken before.
func (i *inbox) knowsDelivery(id int64) bool {
	for _, ending := range []string{".json", ".done"} {
		if _, err := os.Stat(i.fileOf(id, ending)); err == nil {
			return true
		}
	}
	return false
}

// keepDelivery stores a delivery before it is answered, and reports whether it is new.
func (i *inbox) keepDelivery(d *delivery) (isNew bool, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.knowsDelivery(d.ID) {
		return false, nil
	}
	text, err := json.Marshal(d)
	if err != nil {
		return false, err
	}
	partial := i.fileOf(d.ID, ".partial")
	if err := writeSynced(partial, text); err != nil {
		return false, err
	}
	return true, os.Rename(partial, i.fileOf(d.ID, ".json"))
}

func writeSynced(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// finishDelivery removes everything of a delivery except its id.
func (i *inbox) finishDelivery(id int64) error {
	if err := os.WriteFile(i.fileOf(id, ".done"), nil, 0o600); err != nil {
		return err
	}
	return os.Remove(i.fileOf(id, ".json"))
}

// listUnfinished returns the deliveries that an earlier runner left, and forgets the ids of old ones.
func (i *inbox) listUnfinished(now time.Time) (left []*delivery, err error) {
	entries, err := os.ReadDir(i.folder)
	if err != nil {
		return nil, fmt.Errorf("-state: %w", err)
	}
	for _, entry := range entries {
		name := filepath.Join(i.folder, entry.Name())
		switch {
		case strings.HasSuffix(name, ".done"):
			forgetOld(name, entry, now)
		case strings.HasSuffix(name, ".json"):
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			d, err := readDelivery(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			left = append(left, d)
		}
	}
	return left, nil
}

func forgetOld(name string, entry fs.DirEntry, now time.Time) {
	if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > keepDone {
		_ = os.Remove(name)
	}
}
