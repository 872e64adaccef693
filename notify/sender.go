package notify

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"time"
)

const (
	// maxAnswer is how much of an answer's body is read. A source control's new issue is a few KB.
	maxAnswer       = 64 << 10
	maxAnswerHeader = 64 << 10
	tlsSessions     = 256 // that are remembered, one for each receiver, to spare half of the next handshake
)

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
	transport *http.Transport
}

// NewSender returns a Sender.
func NewSender(o SenderOptions) *Sender {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = AttemptTimeout
	}
	config := &tls.Config{}
	if o.TLS != nil {
		config = o.TLS.Clone()
	}
	config.ClientSessionCache = tls.NewLRUClientSessionCache(tlsSessions)
	return &Sender{
		guard: o.Guard, userAgent: "Service-Webhook/" + o.Version, timeout: timeout,
		transport: &http.Transport{
			Proxy:                  nil, // a proxy would look the name up itself, and could be in the private network
			DialContext:            dialChecked,
			DisableKeepAlives:      true, // each attempt goes to addresses that were checked for it
			TLSClientConfig:        config,
			MaxResponseHeaderBytes: maxAnswerHeader,
			DisableCompression:     true, // a small compressed body can be endless
		},
	}
}

// Send makes one attempt. With only204, as for a repository dispatch, no other status counts as delivered (webhooks,
// Delivery timing). It returns within the timeout, or soon after ctx has ended.
func (s *Sender) Send(ctx context.Context, request *http.Request, only204 bool) Outcome {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
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
	answer, err := s.transport.RoundTrip(request) // not by a client: it would follow redirects
	if err != nil {
		return Outcome{Error: DescribeFailure(receiver.host, err)}
	}
	defer func() { _ = answer.Body.Close() }()
	outcome := Outcome{Status: answer.StatusCode, Delivered: answer.StatusCode/100 == 2 && (!only204 || answer.StatusCode == http.StatusNoContent)}
	if !outcome.Delivered {
		outcome.Error = describeStatus(outcome.Status, only204)
		return outcome
	}
	outcome.Body, _ = io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // what counts is the status
	return outcome
}
