package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errand/core"
)

// Client is how a command reaches a running Errand over its API, as scripts do.
type Client struct {
	URL   string      `name:"url" env:"ERRAND_URL" help:"Where Errand runs, such as https://errors.example."`
	Token core.Secret `name:"token" env:"ERRAND_TOKEN" help:"Token with releases:write; better in the environment: arguments can be seen."`

	Pause time.Duration `kong:"-"` // before the second try of a call; 0 for the usual one
}

const (
	// callAtMost is how long a call may take.
	callAtMost = 30 * time.Second
	// answerAtMost bounds what is read of an answer, in bytes.
	answerAtMost = 8 << 20
)

// check says what is missing, naming the flag and the variable.
func (c Client) check() error {
	base, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		return errors.New("where does Errand run? Set ERRAND_URL, or --url")
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return fmt.Errorf("ERRAND_URL must be a URL such as https://errors.example, not %q", c.URL)
	case c.Token == "":
		return errors.New("a token with the scope releases:write is needed: set ERRAND_TOKEN")
	}
	return nil
}

// callOperation makes a call with a JSON body and reads data of its answer. What may pass is tried again: an error of the network or
// the server, or a limit.
func (c Client) callOperation(ctx context.Context, op *core.Operation, input, into any, w io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}
	return c.tryAgain(ctx, w, func() (time.Duration, error) { return c.tryOperation(ctx, op, body, into) })
}

// tryOperation makes a call once. After an error, wait is as tryAgain has it.
func (c Client) tryOperation(ctx context.Context, op *core.Operation, body []byte, into any) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, callAtMost)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, op.Method(), strings.TrimRight(c.URL, "/")+op.Path(), bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	response, answer, err := c.sendRequest(r, "application/json")
	switch {
	case response == nil:
		return 0, err // it names the method and the URL
	case err != nil:
		return 0, fmt.Errorf("%s: %w", r.URL, err)
	}
	if to := response.Header.Get("Location"); response.StatusCode >= http.StatusMultipleChoices && to != "" {
		return -1, fmt.Errorf("%s answered %s: set ERRAND_URL to where it leads, %s", r.URL, response.Status, to)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return findWait(response), fmt.Errorf("%s answered %s%s", r.URL, response.Status, explain(answer))
	}
	return -1, json.Unmarshal(answer, &struct{ Data any }{into})
}

// sendRequest sends an HTTP request with the token and reads the answer. The response is nil when none came.
func (c Client) sendRequest(r *http.Request, mediaType string) (*http.Response, []byte, error) {
	r.Header.Set("Authorization", "Bearer "+c.Token.Reveal())
	r.Header.Set("Content-Type", mediaType)
	// A redirect would have it become a GET: it is shown instead.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerAtMost))
	if err != nil {
		return response, nil, fmt.Errorf("reading the answer: %w", err)
	}
	return response, answer, nil
}

// codeOf returns the code of an error of the API, empty when it is none.
func codeOf(body []byte) core.Code {
	var failure struct{ Error core.Code }
	_ = json.Unmarshal(body, &failure) // else it is none
	return failure.Error
}

// explain says what an error of the API means, in words that follow its status.
func explain(body []byte) string {
	var failure struct {
		Error         core.Code
		Details       []core.Detail
		RequiredScope core.Scope `json:"required_scope"`
		Reason        string
	}
	if json.Unmarshal(body, &failure) != nil || failure.Error == "" {
		return ": it does not look like Errand's API"
	}
	text := fmt.Sprintf(": %s", failure.Error)
	for _, d := range failure.Details {
		text += fmt.Sprintf("; %s %s", d.Path, d.Message)
	}
	if failure.RequiredScope != "" {
		text += fmt.Sprintf("; the token needs the scope %s", failure.RequiredScope)
	}
	if failure.Reason != "" {
		text += "; " + failure.Reason
	}
	return text
}
