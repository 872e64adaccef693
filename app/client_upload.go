package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errand/core"
)

// uploadAtMost is how long the upload of one map may take.
const uploadAtMost = 3 * time.Minute

// uploadMap uploads a map.
func (c Client) uploadMap(ctx context.Context, u SourceMapUpload, found emittedMap, w io.Writer) error {
	return c.tryAgain(ctx, w, func() (time.Duration, error) { return c.tryUpload(ctx, u, found) })
}

// tryUpload uploads a map once. After an error, wait is how long the server asks to wait before the next try; negative when
// another try cannot help.
func (c Client) tryUpload(ctx context.Context, u SourceMapUpload, found emittedMap) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, uploadAtMost)
	defer cancel()
	query := url.Values{"project": {u.Project}, "release": {u.Release}, "name": {found.name}}
	op := core.UploadSourceMap.Operation
	address := strings.TrimRight(c.URL, "/") + op.Path() + "?" + query.Encode()
	r, err := http.NewRequestWithContext(ctx, op.Method(), address, bytes.NewReader(found.text))
	if err != nil {
		return -1, err
	}
	response, answer, err := c.sendRequest(r, core.SourceMapJSON)
	if response == nil && errors.Is(err, context.Canceled) {
		return -1, err
	}
	if err != nil {
		return 0, err
	}
	if response.StatusCode == op.Status {
		return 0, nil
	}
	return findWait(response), &refusedCall{response.StatusCode, codeOf(answer), "the server answered " + response.Status + explain(answer)}
}
