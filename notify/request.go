package notify

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"errand/core"
)

// Format is how to make an HTTP request from a message, and which answers mean that it was delivered.
type Format struct {
	// NewRequest makes the request of one attempt. Its error contains no secret.
	NewRequest func(ctx context.Context, m *Message, target Target) (*http.Request, error)
	// Only204 says that only the status 204 counts as delivered, as for a repository dispatch. Otherwise any 2xx does.
	Only204 bool
}

// NewRequest returns a POST of a JSON body. Its error does not repeat the URL.
func NewRequest(ctx context.Context, location core.Secret, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, location.Reveal(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL of the webhook is not valid")
	}
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}
