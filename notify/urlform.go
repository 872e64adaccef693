package notify

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

const (
	maxURL   = 2048 // bytes
	maxHost  = 253
	maxLabel = 63
)

// URLError says, for people, why a URL is not called. It names at most the host, since the path and the query of a URL may be secrets.
type URLError struct {
	text string
	// Unresolved is true when the name of the host could not be looked up, which may succeed next time.
	Unresolved bool
}

func (e *URLError) Error() string { return e.text }

func refuseURL(format string, args ...any) error {
	return &URLError{text: fmt.Sprintf(format, args...)}
}

// receiverURL is a URL in an allowed form. Its host is in lower case, without a dot at the end.
type receiverURL struct {
	*url.URL
	host string     // without brackets and port
	addr netip.Addr // when the host is an address; the zero value for a name
	// needsPrivate is true when WEBHOOK_ALLOW_PRIVATE must contain every address of the host: the scheme is http, or
	// the name belongs to private networks.
	needsPrivate bool
}

// parseReceiver checks the form of a URL, without any look-up.
func parseReceiver(text string) (*receiverURL, error) {
	if len(text) > maxURL {
		return nil, refuseURL("must be at most %d bytes long", maxURL)
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c == 0x7f || c == '\\' {
			return nil, refuseURL("must have no spaces, control characters or backslashes")
		}
	}
	parsed, err := url.Parse(text)
	switch {
	case err != nil || parsed.Opaque != "" || parsed.Host == "":
		return nil, refuseURL("must be a URL such as https://hooks.example.com/errand")
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil, refuseURL("must begin with https://")
	case parsed.User != nil:
		return nil, refuseURL("must have no user and no password")
	case strings.Contains(text, "#"):
		return nil, refuseURL("must have no fragment (#)")
	}
	receiver := &receiverURL{URL: parsed, needsPrivate: parsed.Scheme == "http"}
	if err := receiver.readHost(); err != nil {
		return nil, err
	}
	return receiver, nil
}

// readHost checks host and port, and rewrites them in one spelling.
func (r *receiverURL) readHost() error {
	port := r.Port()
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) || strings.HasSuffix(r.Host, ":") {
		return refuseURL("must have a port between 1 and 65535, or none")
	}
	r.host = strings.ToLower(strings.TrimSuffix(r.Hostname(), "."))
	inBrackets := strings.HasPrefix(r.Host, "[")
	if inBrackets || endsInNumber(r.host) {
		addr, err := netip.ParseAddr(r.host)
		if err != nil || addr.Zone() != "" || addr.Is4() == inBrackets {
			return refuseURL("must have a plain IP address, such as 192.0.2.1 or [2001:db8::1], or a name as its host")
		}
		r.addr, r.host = addr, addr.String()
	} else if err := checkName(r.host); err != nil {
		return err
	}
	r.needsPrivate = r.needsPrivate || isPrivateName(r.host)
	r.Host = r.host
	if inBrackets {
		r.Host = "[" + r.host + "]"
	}
	if port != "" {
		r.Host += ":" + port
	}
	return nil
}

// endsInNumber reports whether browsers or C libraries read a host as an IPv4 address, in one of their spellings: 127.1,
// 0x7f.1, 2130706433, 0177.0.0.1. Only the plain spelling is accepted.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits, isHex := strings.CutPrefix(last, "0x")
	return last != "" && strings.Trim(last, "0123456789") == "" || isHex && strings.Trim(digits, "0123456789abcdef") == ""
}

// checkName checks a host name. It refuses letters beyond ASCII: their meaning, such as digits in another width, depends on the reader.
func checkName(host string) error {
	if len(host) > maxHost {
		return refuseURL("must have a host of at most %d characters", maxHost)
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return refuseURL("must have a valid host name")
		}
		for _, c := range []byte(label) {
			switch {
			case c >= 0x80:
				return refuseURL("must have a host name in ASCII; write an international one in its form that begins with xn--")
			case (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_':
				return refuseURL("must have a valid host name")
			}
		}
	}
	return nil
}

// isPrivateName reports whether a name is never on the internet (webhooks, URL rules).
func isPrivateName(host string) bool {
	for _, zone := range []string{"localhost", "local", "internal", "home.arpa"} {
		if host == zone || strings.HasSuffix(host, "."+zone) {
			return true
		}
	}
	return false
}
