package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
)

// senderError is an error of the data that is being stored. Unlike an error of the store, it is returned unchanged.
type senderError struct{ error }

func (e senderError) Unwrap() error { return e.error }

// boundedReader is data on its way into a store: it ends with the context and at the limit, and its errors are senderErrors.
type boundedReader struct {
	ctx  context.Context
	data io.Reader
	left int64
}

func (r *boundedReader) Read(into []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, senderError{err}
	}
	count, err := r.data.Read(into)
	if r.left -= int64(count); r.left < 0 {
		return 0, senderError{ErrTooLarge}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = senderError{err}
	}
	return count, err
}

// receiveData copies data of at most limit bytes to w.
func receiveData(ctx context.Context, w io.Writer, data io.Reader, limit int64) (Written, error) {
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(w, hash), &boundedReader{ctx: ctx, data: data, left: limit})
	if err != nil {
		return Written{}, err
	}
	return Written{Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// describeError adds the action and the blob to an error, unless it is the sender's.
func describeError(where, action, key string, err error) error {
	if err == nil {
		return nil
	}
	if sender, ok := errors.AsType[senderError](err); ok {
		return sender.error
	}
	return &Error{Store: where, Action: action, Key: key, cause: err}
}

// Error is an error of a store.
type Error struct {
	Store  string // where it is, without credentials
	Action string // such as "writing"
	Key    string // empty when it is about no particular blob

	cause error
}

// Error returns the action and why it failed.
func (e *Error) Error() string {
	text := e.Action
	if e.Key != "" {
		text += " " + e.Key
	}
	return text + " in " + e.Store + ": " + e.cause.Error()
}

// Unwrap returns the cause, such as ErrNotFound.
func (e *Error) Unwrap() error { return e.cause }
