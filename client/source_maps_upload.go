package client

import (
	"context"
	"errors"
	"io"
	"time"

	"errand/core"
)

// uploadAtMost is how long the upload of one map may take.
const uploadAtMost = 3 * time.Minute

// uploadMap uploads a map.
func (c Client) uploadMap(ctx context.Context, u SourceMapUpload, found emittedMap, w io.Writer) error {
	return c.tryAgain(ctx, w, func() (time.Duration, error) { return c.tryUpload(ctx, u, found, w) })
}

// tryUpload uploads a map once. After an error, wait is how long the server asks to wait before the next try;
// negative when another try cannot help.
func (c Client) tryUpload(ctx context.Context, u SourceMapUpload, found emittedMap, w io.Writer) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, uploadAtMost)
	defer cancel()
	op := core.UploadSourceMap.Operation
	args := map[string]any{"project": u.Project, "release": u.Release, "name": found.name}
	if u.Dist != "" {
		args["dist"] = u.Dist
	}
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
	text := "the server answered " + response.Status + explainFailure(nil, answer)
	return findWait(response), newRefusedCall(response, answer, text)
}
