package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/core"
)

const (
	callTries     = 5
	longestWait   = time.Minute // the most that a server can request
	shortestPause = time.Second // before the second try; it doubles before each further one
)

// refusedCall is an answer of the API other than success.
type refusedCall struct {
	status  int
	code    core.Code
	details []core.Detail
	text    string
}

// newRefusedCall makes the error for an answer, with a text about it.
func newRefusedCall(response *http.Response, body []byte, text string) *refusedCall {
	var failure struct {
		Error   core.Code
		Details []core.Detail
	}
	_ = json.Unmarshal(body, &failure) // if it fails, it is not an API error
	return &refusedCall{response.StatusCode, failure.Error, failure.Details, text}
}

// refusesIn reports whether an error of a call refuses a field, or one within it.
func refusesIn(err error, field string) bool {
	var refused *refusedCall
	return errors.As(err, &refused) && slices.ContainsFunc(refused.details, func(d core.Detail) bool {
		return d.Path == field || strings.HasPrefix(d.Path, field+".")
	})
}

func (e *refusedCall) Error() string { return e.text }

// tryAgain makes a call until it works, at most five times. After an error, the call returns how long the server asks
// to wait; a negative wait means that another try cannot help. Each further try is announced on w.
func (c Client) tryAgain(ctx context.Context, w io.Writer, call func() (wait time.Duration, err error)) error {
	for try := 1; ; try++ {
		wait, err := call()
		if err == nil || wait < 0 || try == callTries || ctx.Err() != nil {
			return err
		}
		wait = min(max(wait, c.pause()<<(try-1)), longestWait)
		failure, _, _ := strings.Cut(err.Error(), "\n") // the advice below that line is already being followed
		fmt.Fprintf(w, "  %s; trying again in %s\n", failure, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pause returns the pause before the second try.
func (c Client) pause() time.Duration {
	if c.Pause > 0 {
		return c.Pause
	}
	return shortestPause
}

// findWait returns how long a server asks to wait before the next try; negative when it would refuse again.
func findWait(response *http.Response) time.Duration {
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode < http.StatusInternalServerError {
		return -1
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 on failure: the pause applies
	return min(time.Duration(max(seconds, 0))*time.Second, longestWait)
}
