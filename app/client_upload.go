package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"errand/core"
)

const (
	uploadAtMost  = 3 * time.Minute // for one map
	uploadTries   = 5
	longestWait   = time.Minute // that a server can ask for
	shortestPause = time.Second // before the second try; twice as long before each further one
)

// refusedCall is an answer of the API that is not a success.
type refusedCall struct {
	status int
	code   core.Code
	text   string
}

func (e *refusedCall) Error() string { return e.text }

// uploadMap uploads a map. What may pass is tried again: an error of the network or the server, or a limit.
func (c Client) uploadMap(ctx context.Context, u SourceMapUpload, found emittedMap, w io.Writer) error {
	for try := 1; ; try++ {
		wait, err := c.tryUpload(ctx, u, found, w)
		if err == nil || wait < 0 || try == uploadTries {
			return err
		}
		wait = min(max(wait, c.pause()<<(try-1)), longestWait)
		fmt.Fprintf(w, "  %s; trying again in %s\n", err, wait)
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

// tryUpload uploads a map once. After an error, wait is how long the server asks to wait before the next try; negative when
// another try cannot help.
func (c Client) tryUpload(ctx context.Context, u SourceMapUpload, found emittedMap, w io.Writer) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, uploadAtMost)
	defer cancel()
	op := core.UploadSourceMap.Operation
	args := map[string]any{"project": u.Project, "release": u.Release, "name": found.name}
	r, err := c.newRequest(ctx, op, args, fileBody{found.kind, newProgressReader(found.body, w)})
	if err != nil {
		return -1, err
	}
	r.ContentLength = int64(len(found.body))
	response, answer, err := c.sendRequest(r)
	if response == nil && errors.Is(err, context.Canceled) {
		return -1, err
	}
	if err != nil {
		return 0, err
	}
	if response.StatusCode == op.Status {
		return 0, nil
	}
	refused := &refusedCall{response.StatusCode, codeOf(answer), "the server answered " + response.Status + explainFailure(nil, answer)}
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode < http.StatusInternalServerError {
		return -1, refused
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // else the pause holds
	return time.Duration(max(seconds, 0)) * time.Second, refused
}
