package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// DescribeFailure returns why a connection failed, for last_error. It uses only Errand's own words and the host's
// name: the text of the error contains the URL, or words of the receiver.
func DescribeFailure(host string, err error) string {
	var refused *URLError
	switch {
	case errors.As(err, &refused):
		return "the URL " + refused.text
	case errors.Is(err, context.Canceled):
		return "the attempt was cut off, because the server stops"
	case isTimeout(err):
		return fmt.Sprintf("%s did not answer within %d seconds", host, int(AttemptTimeout.Seconds()))
	}
	if text := describeTLS(host, err); text != "" {
		return text
	}
	for _, known := range knownFailures {
		if errors.Is(err, known.cause) {
			return host + " " + known.text
		}
	}
	if isMalformed(err) {
		return host + " answered with something that is not HTTP"
	}
	return "the connection to " + host + " failed"
}

var knownFailures = []struct {
	cause error
	text  string
}{
	{syscall.ECONNREFUSED, "refused the connection"},
	{syscall.ECONNRESET, "reset the connection"},
	{syscall.EPIPE, "closed the connection"},
	{syscall.EHOSTUNREACH, "cannot be reached"},
	{syscall.ENETUNREACH, "cannot be reached: there is no route to its network"},
	{io.ErrUnexpectedEOF, "closed the connection in the middle of its answer"},
	{io.EOF, "closed the connection without an answer"},
}

func isTimeout(err error) bool {
	var timed net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &timed) && timed.Timeout()
}

// describeTLS returns why no secure connection was made, or "" for other errors.
func describeTLS(host string, err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of " + host + " has expired, or is not valid yet"
	case errors.As(err, &authority):
		return "the certificate of " + host + " is signed by an authority that is not trusted"
	case errors.As(err, &name):
		return "the certificate of " + host + " is for another host"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "the certificate of " + host + " is not valid"
	case errors.As(err, &record):
		return host + " does not speak TLS on this port"
	case errors.As(err, &alert):
		return host + " refused the TLS connection"
	}
	return ""
}

// isMalformed reports whether an answer could not be read as HTTP. net/http has no type for these errors, only texts.
func isMalformed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "malformed") || strings.Contains(text, "net/http: ") || strings.Contains(text, "bad ")
}

// describeStatus returns why an answer with this status is not a success.
func describeStatus(status int, only204 bool) string {
	text := fmt.Sprintf("answered %d", status)
	if name := http.StatusText(status); name != "" {
		text += " " + name
	}
	switch {
	case status >= 300 && status < 400:
		return text + ": redirects are not followed"
	case only204 && status/100 == 2:
		return text + ": only 204 counts as delivered"
	}
	return text
}
