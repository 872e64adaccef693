package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	callTimeout = 20 * time.Second
	maxAnswer   = 4 << 20
	firstPause  = time.Second
	longPause   = 30 * time.Second
)

// client calls Errand's REST API.
type client struct {
	url   string
	token string
	// worker distinguishes this runner from others with the same token: a claim belongs to the token and the worker together.
	worker string
	http   *http.Client
}

// refusal is an answer of Errand that a retry does not change.
type refusal struct {
	status int
	code   string // such as claimed
	text   string
}

// Error returns Errand's message.
func (r *refusal) Error() string {
	return fmt.Sprintf("the answer of Errand was %d %s", r.status, r.text)
}

// hasStatus reports whether an error is an answer of Errand with this status.
func hasStatus(err error, status int) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.status == status
}

// callOperation makes a POST, and repeats it while Errand is away or busy, until ctx ends.
func (c *client) callOperation(ctx context.Context, path string, input, into any) error {
	return c.callUntilAnswered(ctx, http.MethodPost, path, input, into)
}

func (c *client) callUntilAnswered(ctx context.Context, method, path string, input, into any) error {
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		err := c.callOnce(ctx, method, path, input, into)
		var refused *refusal
		if err == nil || errors.As(err, &refused) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// callOnce makes a call. Its error is a *refusal when a retry makes no sense.
func (c *client) callOnce(ctx context.Context, method, path string, input, into any) error {
	var body []byte
	if method != http.MethodGet {
		var err error
		if body, err = json.Marshal(input); err != nil {
			return &refusal{text: err.Error()}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return &refusal{text: err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	switch {
	case err != nil:
		return err
	case answer.StatusCode >= 500, answer.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("the answer of Errand was %d", answer.StatusCode)
	case answer.StatusCode >= 300:
		refused := &refusal{status: answer.StatusCode, text: string(text)}
		var named struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(text, &named) == nil {
			refused.code = named.Error
		}
		return refused
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

// claimIssue claims an issue, or renews the claim, and returns its status.
func (c *client) claimIssue(ctx context.Context, issue int64, minutes int) (status string, err error) {
	var claimed struct {
		Data struct {
			Status string `json:"status"`
		} `json:"data"`
	}
	err = c.callOperation(ctx, fmt.Sprintf("/v1/issues/%d/claim", issue), map[string]any{"minutes": minutes, "worker": c.worker}, &claimed)
	return claimed.Data.Status, err
}

// readBrief returns the brief of an issue for this runner, which holds the claim.
func (c *client) readBrief(ctx context.Context, issue int64) (*brief, error) {
	var answer struct {
		Data brief `json:"data"`
	}
	path := fmt.Sprintf("/v1/issues/%d/brief?worker=%s", issue, url.QueryEscape(c.worker))
	err := c.callUntilAnswered(ctx, http.MethodGet, path, nil, &answer)
	return &answer.Data, err
}

func (c *client) releaseIssue(ctx context.Context, issue int64) error {
	return c.callOperation(ctx, fmt.Sprintf("/v1/issues/%d/release", issue), map[string]string{"worker": c.worker}, nil)
}

func (c *client) addNote(ctx context.Context, issue int64, text string) error {
	return c.callOperation(ctx, fmt.Sprintf("/v1/issues/%d/notes", issue), map[string]string{"text": text}, nil)
}

// linkFix links a commit, or a pull request by its URL.
func (c *client) linkFix(ctx context.Context, issue int64, found fix) error {
	found.Worker = c.worker
	return c.callOperation(ctx, fmt.Sprintf("/v1/issues/%d/fix", issue), found, nil)
}
