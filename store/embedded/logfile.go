package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// logFileMax is the largest size of the log in bytes; boundSize moves a larger one aside.
const logFileMax = 8 << 20

// logFile is the file that postgres writes its log to, as its standard output and error.
type logFile struct{ path string }

// open returns the file for a new postgres process.
func (l logFile) open() (*os.File, error) {
	if err := l.boundSize(); err != nil {
		return nil, fmt.Errorf("the log of the private postgres: %w", err)
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the log of the private postgres: %w", err)
	}
	return f, nil
}

// boundSize copies a log that has grown too large to <path>.1 and empties it. It does not rename the
// file, because the running postgres keeps it open. Lines written in between are lost.
func (l logFile) boundSize() error {
	info, err := os.Stat(l.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() < logFileMax {
		return nil
	}
	if err != nil {
		return err
	}
	from, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(l.path+".1", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close(), os.Truncate(l.path, 0))
}

// readTail returns the last lines, for the message of a failed start.
func (l logFile) readTail() string {
	const enough = 2000
	f, err := os.Open(l.path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-enough), enough))
	if err != nil {
		return err.Error()
	}
	return lastLines(string(text))
}
