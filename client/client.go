// Package client calls a running Errand over its API, for the commands of the command line.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"errand/core"
)

// Client calls a running Errand over its API, like a script.
type Client struct {
	URL   string      `name:"url" env:"ERRAND_URL" help:"Where Errand runs, such as https://errors.example."`
	Token core.Secret `name:"token" env:"ERRAND_TOKEN" help:"Token for the API; set it in the environment: others can see arguments."`

	Pause time.Duration `kong:"-"` // before the second try of a call; 0 for the usual pause
}

const (
	// callAtMost is how long a call may take.
	callAtMost = 30 * time.Second
	// answerAtMost is how many bytes of an answer are read.
	answerAtMost = 8 << 20
)

// check reports what is missing, by its flag and its variable.
func (c Client) check() error {
	base, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		return errors.New("where does Errand run? Set ERRAND_URL, or --url")
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return fmt.Errorf("ERRAND_URL must be a URL such as https://errors.example, not %q", c.URL)
	case c.Token == "":
		return errors.New("a token is needed: set ERRAND_TOKEN")
	}
	return nil
}

// callOperation makes a call with an input and reads data of its answer. It repeats the call after errors that may
// pass: of the network, of the server, or a limit.
func (c Client) callOperation(ctx context.Context, op *core.Operation, input, into any, w io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	text, err := json.Marshal(input)
	if err != nil {
		return err
	}
	args, err := core.DecodeArgs(text)
	if err != nil {
		return err
	}
	return c.tryAgain(ctx, w, func() (time.Duration, error) { return c.tryOperation(ctx, op, args, into) })
}

// tryOperation makes a call once. After an error, wait is what tryAgain expects.
func (c Client) tryOperation(ctx context.Context, op *core.Operation, args map[string]any, into any) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, callAtMost)
	defer cancel()
	r, err := c.newRequest(ctx, op, args, fileBody{})
	if err != nil {
		return -1, err
	}
	response, answer, err := c.fetchAnswer(r)
	switch {
	case response == nil:
		return 0, err
	case err != nil:
		return findWait(response), err
	}
	return -1, json.Unmarshal(answer, &struct{ Data any }{into})
}
