// Package email is the format "email": a mail to each recipient, through the mail server of SMTP_URL.
package email

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"errand/core"
	"errand/notify"
)

// Options say how to send mails.
type Options struct {
	// URL is SMTP_URL. smtp://[user:password@]host[:port] starts in the clear and switches to STARTTLS if the server offers it (port 587
	// with a user, else 25). With a user, or with ?starttls=required, the server must. smtps:// is TLS from the start (port 465).
	URL core.Secret
	// From is EMAIL_FROM, such as Errand <errand@example.com>.
	From    string
	Timeout time.Duration // of an attempt; 0 means notify.AttemptTimeout
	TLS     *tls.Config   // nil means the system's trusted authorities
}

// Mailer sends mails. Its methods are safe for concurrent use.
type Mailer struct {
	server  mailServer
	from    *mail.Address
	timeout time.Duration
	tls     *tls.Config
}

// mailServer is SMTP_URL after parsing.
type mailServer struct {
	host     string
	port     int
	implicit bool // TLS from the start
	policy   gomail.TLSPolicy
	user     string
	password core.Secret
}

// The ways of signing in, in order of preference. The last two send the password, only under TLS.
var signIns = []gomail.SMTPAuthType{
	gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin,
}

// NewMailer reads the settings. Its errors are for the person who starts Errand, and repeat nothing of SMTP_URL.
func NewMailer(o Options) (*Mailer, error) {
	server, err := parseServer(o.URL)
	if err != nil {
		return nil, err
	}
	from, err := mail.ParseAddress(o.From)
	if err != nil || checkAddress(from.Address) != nil || notify.CleanLine(from.Name) != from.Name {
		return nil, errors.New("EMAIL_FROM must be an email address, such as Errand <errand@example.com>")
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = notify.AttemptTimeout
	}
	config := &tls.Config{}
	if o.TLS != nil {
		config = o.TLS.Clone()
	}
	config.ServerName = server.host
	return &Mailer{server: server, from: from, timeout: timeout, tls: config}, nil
}

func parseServer(text core.Secret) (mailServer, error) {
	parsed, err := url.Parse(text.Reveal())
	if err != nil || parsed.Opaque != "" || parsed.Hostname() == "" || strings.Trim(parsed.Path, "/") != "" || parsed.Fragment != "" {
		return mailServer{}, errors.New("SMTP_URL must be smtp://user:password@host:port or smtps://user:password@host:port")
	}
	server := mailServer{host: parsed.Hostname(), policy: gomail.TLSOpportunistic}
	if parsed.User != nil {
		password, _ := parsed.User.Password()
		server.user, server.password = parsed.User.Username(), core.Secret(password)
		server.policy = gomail.TLSMandatory
	}
	switch parsed.Scheme {
	case "smtps":
		server.implicit, server.port = true, 465
	case "smtp":
		server.port = 25
		if server.user != "" {
			server.port = 587
		}
	default:
		return mailServer{}, errors.New("SMTP_URL must begin with smtp:// or smtps://")
	}
	switch parsed.RawQuery {
	case "":
	case "starttls=required":
		server.policy = gomail.TLSMandatory
	default:
		return mailServer{}, errors.New("SMTP_URL may end with ?starttls=required, and with nothing else")
	}
	if port := parsed.Port(); port != "" {
		if server.port, err = strconv.Atoi(port); err != nil || server.port < 1 || server.port > 65535 {
			return mailServer{}, errors.New("SMTP_URL must have a port between 1 and 65535")
		}
	}
	return server, nil
}

// newClient returns a client for one connection, which dial makes.
func (m *Mailer) newClient(dial gomail.DialContextFunc) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(m.server.port), gomail.WithTimeout(m.timeout), gomail.WithHELO(m.domain()), gomail.WithTLSConfig(m.tls.Clone()),
		gomail.WithTLSPolicy(m.server.policy), gomail.WithDialContextFunc(dial), gomail.WithoutNoop(),
	}
	if m.server.implicit {
		options = append(options, gomail.WithSSL())
	}
	if m.server.user != "" {
		options = append(options, gomail.WithOpportunisticSMTPAuth(signIns...),
			gomail.WithUsername(m.server.user), gomail.WithPassword(m.server.password.Reveal()))
	}
	return gomail.NewClient(m.server.host, options...)
}

// dialServer connects to the mail server, with TLS if the protocol starts with it.
func (m *Mailer) dialServer(ctx context.Context, network, address string) (net.Conn, error) {
	if m.server.implicit {
		dialer := tls.Dialer{Config: m.tls}
		return dialer.DialContext(ctx, network, address)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// domain returns the domain of EMAIL_FROM: mail servers expect a full name from their clients, which a container does not have.
func (m *Mailer) domain() string {
	return m.from.Address[strings.LastIndexByte(m.from.Address, '@')+1:]
}
