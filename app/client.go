package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"errand/core"
)

// Client is how a command reaches a running Errand over its API, as scripts do.
type Client struct {
	URL   string      `name:"url" env:"ERRAND_URL" help:"Where Errand runs, such as https://errors.example."`
	Token core.Secret `name:"token" env:"ERRAND_TOKEN" help:"Token for the API; better in the environment: arguments can be seen."`

	Pause time.Duration `kong:"-"` // before the second try of an upload; 0 for the usual one
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
		return errors.New("a token is needed: set ERRAND_TOKEN")
	}
	return nil
}

// callOperation makes a call with an input and reads data of its answer.
func (c Client) callOperation(ctx context.Context, op *core.Operation, input, into any) error {
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
	ctx, cancel := context.WithTimeout(ctx, callAtMost)
	defer cancel()
	r, err := c.newRequest(ctx, op, args, fileBody{})
	if err != nil {
		return err
	}
	_, answer, err := c.fetchAnswer(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, &struct{ Data any }{into})
}
