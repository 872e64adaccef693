package notify

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"time"
)

// maxAnswer is how much of an answer's body is read. A source control's new issue is a few KB.
const maxAnswer = 64 << 10

// Outcome is how an attempt ended.
type Outcome struct {
	Delivered bool
	Status    int    // of HTTP (last_status); 0 when there was no answer
	Error     string // last_error: why it was not delivered, without secrets and without the URL's path and query
	Body      []byte // the start of the answer's body
}

// SenderOptions say how attempts are made.
type SenderOptions struct {
	Guard   *Guard
	Version string        // of Errand, for the User-Agent
	Timeout time.Duration // of an attempt; 0 means AttemptTimeout
	TLS     *tls.Config   // nil means the system's trusted authorities
}

// Sender makes attempts at deliveries over HTTP. Its methods may be called from several goroutines.
type Sender struct {
	guard     *Guard
	userAgent string
	timeout   time.Duration
	routes    *routes
}

// NewSender returns a Sender.
func NewSender(o SenderOptions) *Sender {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = AttemptTimeout
	}
	config := o.TLS
	if config == nil {
		config = &tls.Config{}
	}
	return &Sender{guard: o.Guard, userAgent: "Service-Webhook/" + o.Version, timeout: timeout, routes: newRoutes(config, timeout)}
}

// Send makes one attempt. It returns within the timeout, or soon after ctx has ended. That the server dies meanwhile is
// for the caller to foresee: the receiver may have got a delivery that nobody wrote down.
func (s *Sender) Send(ctx context.Context, format Format, m *Message, target Target) Outcome {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := format.NewRequest(ctx, m, target)
	if err != nil {
		return Outcome{Error: "the request could not be made: its parts are not valid"}
	}
	return s.sendRequest(ctx, request, format.Only204)
}

// sendRequest sends a request under a context that has a deadline.
func (s *Sender) sendRequest(ctx context.Context, request *http.Request, only204 bool) Outcome {
	receiver, err := parseReceiver(request.URL.String())
	if err != nil {
		return Outcome{Error: DescribeFailure("", err)}
	}
	addresses, err := s.guard.findAddresses(ctx, receiver)
	if err != nil {
		return Outcome{Error: DescribeFailure(receiver.host, err)}
	}
	request = request.Clone(allowDial(ctx, addresses))
	request.URL, request.Host = receiver.URL, ""
	request.Header.Set("User-Agent", s.userAgent)
	answer, err := s.routes.find(receiver.URL, addresses).RoundTrip(request) // not by a client: it would follow redirects
	if err != nil {
		return Outcome{Error: DescribeFailure(receiver.host, err)}
	}
	defer func() { _ = answer.Body.Close() }()
	outcome := Outcome{Status: answer.StatusCode, Delivered: isSuccess(answer.StatusCode, only204)}
	if !outcome.Delivered {
		outcome.Error = describeStatus(outcome.Status, only204)
		return outcome
	}
	outcome.Body, _ = io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // what counts is the status
	return outcome
}

// isSuccess reports whether an answer with this status means that the delivery arrived.
func isSuccess(status int, only204 bool) bool {
	if only204 {
		return status == http.StatusNoContent
	}
	return status >= 200 && status < 300
}
