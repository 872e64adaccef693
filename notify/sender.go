package notify

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"time"
)

// maxAnswer is how many bytes of an answer's body are read. A source control's new issue has a few KB.
const maxAnswer = 64 << 10

// Outcome is the result of an attempt.
type Outcome struct {
	Delivered bool
	Status    int    // HTTP status (last_status); 0 when there was no answer
	Error     string // last_error: why it was not delivered, without secrets and the URL's path and query
	Body      []byte // the start of the answer's body
}

// SenderOptions say how to make attempts.
type SenderOptions struct {
	Guard   *Guard
	Version string        // of Errand, for the User-Agent
	Timeout time.Duration // of an attempt; 0 means AttemptTimeout
	TLS     *tls.Config   // nil means the system's trusted authorities
}

// Sender makes attempts at deliveries over HTTP. Its methods are safe for concurrent use.
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

// Send makes one attempt. It returns within the timeout, or soon after ctx has ended. The caller must allow for a
// crash during the attempt: the receiver may have got a delivery that nobody recorded.
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
	answer, err := s.routes.find(receiver.URL, addresses).RoundTrip(request) // not through an http.Client, which would follow redirects
	if err != nil {
		return Outcome{Error: DescribeFailure(receiver.host, err)}
	}
	defer func() { _ = answer.Body.Close() }()
	outcome := Outcome{Status: answer.StatusCode, Delivered: isSuccess(answer.StatusCode, only204)}
	if !outcome.Delivered {
		outcome.Error = describeStatus(outcome.Status, only204)
		return outcome
	}
	outcome.Body, _ = io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // only the status counts
	return outcome
}

// isSuccess reports whether an answer with this status means that the delivery arrived.
func isSuccess(status int, only204 bool) bool {
	if only204 {
		return status == http.StatusNoContent
	}
	return status >= 200 && status < 300
}
