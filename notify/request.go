package notify

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"errand/core"
)

// NewRequest returns a POST of a JSON body. Its error does not repeat the URL.
func NewRequest(ctx context.Context, url core.Secret, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url.Reveal(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL of the webhook is not valid")
	}
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}
