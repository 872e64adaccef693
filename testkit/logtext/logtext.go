// Package logtext is a log that a test reads while others write it.
package logtext

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
)

// Text keeps what is written to it. The zero value is empty and ready.
type Text struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps the bytes; it never fails.
func (l *Text) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns everything written so far.
func (l *Text) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// NewLogger returns a logger at level debug that writes JSON to the text.
func (l *Text) NewLogger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// FindLines returns the fields of NewLogger's lines with the message.
func (l *Text) FindLines(message string) (found []map[string]any) {
	for line := range strings.Lines(l.String()) {
		var fields map[string]any
		if json.Unmarshal([]byte(line), &fields) == nil && fields["msg"] == message {
			found = append(found, fields)
		}
	}
	return found
}
