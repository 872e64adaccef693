package notifytest

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"errand/core"
)

// MailOptions describe a mail server.
type MailOptions struct {
	Implicit   bool // TLS from the start
	NoSTARTTLS bool
	// User and Password are required to sign in, if set.
	User, Password string
	// Refuse maps recipients to the code that the server refuses them with.
	Refuse map[string]int
}

// Mail is a mail that a server accepted.
type Mail struct {
	From, To string
	Text     string // headers and body
	TLS      bool
	User     string // who signed in
}

// MailServer is an SMTP server on the loopback address that keeps the mails that it accepts.
type MailServer struct {
	Trust   *x509.CertPool // trusts the authority of its certificate, which is for 127.0.0.1 and [::1]
	options MailOptions
	address string

	mu    sync.Mutex
	mails []Mail
}

// NewMailServer starts a mail server.
func NewMailServer(t testing.TB, o MailOptions) *MailServer {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate
	certified.Close()
	config := &tls.Config{Certificates: certified.TLS.Certificates}
	server := &MailServer{options: o, Trust: trustCertificate(certified)}
	daemon := smtp.NewServer(smtp.BackendFunc(func(conn *smtp.Conn) (smtp.Session, error) {
		return &mailSession{server: server, conn: conn}, nil
	}))
	daemon.Domain, daemon.ErrorLog = "mail.example.com", discardLog
	if !o.NoSTARTTLS {
		daemon.TLSConfig = config
	}
	daemon.AllowInsecureAuth = true // the sender is responsible for keeping a password off the wire
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server.address = listener.Addr().String()
	if o.Implicit {
		listener = tls.NewListener(listener, config)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = daemon.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = daemon.Close()
		<-done
	})
	return server
}

// URL returns the SMTP_URL of the server, with its user.
func (s *MailServer) URL() core.Secret {
	location := url.URL{Scheme: "smtp", Host: s.address}
	if s.options.Implicit {
		location.Scheme = "smtps"
	}
	if s.options.User != "" {
		location.User = url.UserPassword(s.options.User, s.options.Password)
	}
	return core.Secret(location.String())
}

// Mails returns the mails accepted until now.
func (s *MailServer) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// mailSession is the state of a client's connection.
type mailSession struct {
	server *MailServer
	conn   *smtp.Conn
	user   string
	mail   Mail
}

// AuthMechanisms returns the ways of signing in.
func (s *mailSession) AuthMechanisms() []string {
	if s.server.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth lets the user sign in.
func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.options.User || password != s.server.options.Password {
			return &smtp.SMTPError{Code: 535, Message: "wrong password: " + password} // as careless as servers can be
		}
		s.user = user
		return nil
	}), nil
}

// Mail begins a mail.
func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	if s.user != s.server.options.User {
		return smtp.ErrAuthRequired
	}
	_, isTLS := s.conn.TLSConnectionState()
	s.mail = Mail{From: from, TLS: isTLS, User: s.user}
	return nil
}

// Rcpt names the recipient.
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if code := s.server.options.Refuse[to]; code != 0 {
		return &smtp.SMTPError{Code: code, Message: "no mail for " + to}
	}
	s.mail.To += to
	return nil
}

// Data takes the mail.
func (s *mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.Text = string(text)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	return nil
}

// Reset forgets the current mail.
func (s *mailSession) Reset() { s.mail = Mail{} }

// Logout ends the session.
func (s *mailSession) Logout() error { return nil }
