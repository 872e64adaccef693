package email_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/email"
	"errand/notify/notifytest"
)

const from = "Errand <errand@errand.example>"

func newMailer(t *testing.T, url core.Secret, trust *x509.CertPool, timeout time.Duration) *email.Mailer {
	t.Helper()
	mailer, err := email.NewMailer(email.Options{URL: url, From: from, TLS: &tls.Config{RootCAs: trust}, Timeout: timeout})
	require.NoError(t, err)
	return mailer
}

// readMail returns the headers and the body of a mail.
func readMail(t *testing.T, text string) (mail.Header, string) {
	t.Helper()
	message, err := mail.ReadMessage(strings.NewReader(text))
	require.NoError(t, err)
	body := message.Body
	if message.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	content, err := io.ReadAll(body)
	require.NoError(t, err)
	return message.Header, strings.ReplaceAll(string(content), "\r\n", "\n")
}

func TestSend(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]notifytest.MailOptions{
		"STARTTLS and sign-in":           {User: "errand", Password: "p@ss:word/1"},
		"STARTTLS without sign-in":       {},
		"TLS from the start and sign-in": {Implicit: true, User: "errand", Password: "password"},
		"TLS from the start":             {Implicit: true},
		"no TLS and no password":         {NoSTARTTLS: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := notifytest.NewMailServer(t, options)
			mailer := newMailer(t, server.URL(), server.Trust, notify.AttemptTimeout)

			outcome := mailer.Send(t.Context(), notifytest.NewExample(), []string{"a@example.com", "b@example.com"})

			require.Equal(t, notify.Outcome{Delivered: true}, outcome)
			mails := server.Mails()
			require.Len(t, mails, 2)
			for i, to := range []string{"a@example.com", "b@example.com"} {
				require.Equal(t, "errand@errand.example", mails[i].From)
				require.Equal(t, to, mails[i].To)
				require.Equal(t, options.User, mails[i].User)
				require.Equal(t, !options.NoSTARTTLS, mails[i].TLS)
			}
		})
	}
}

func TestMail(t *testing.T) {
	t.Parallel()
	server := notifytest.NewMailServer(t, notifytest.MailOptions{})
	mailer := newMailer(t, server.URL(), server.Trust, notify.AttemptTimeout)

	outcome := mailer.Send(t.Context(), notifytest.NewExample(), []string{"a@example.com"})

	require.True(t, outcome.Delivered, outcome.Error)
	header, body := readMail(t, server.Mails()[0].Text)
	for name, want := range map[string]string{
		"Subject": "[Errand] New issue in Web shop: TypeError: x is undefined", "From": `"Errand" <errand@errand.example>`,
		"To": "<a@example.com>", "Message-Id": "<errand-delivery-7@errand.example>", "References": "<errand-issue-42@errand.example>",
		"Auto-Submitted": "auto-generated", "Content-Type": "text/plain; charset=UTF-8", "Date": "Sat, 03 Jan 2026 18:22:50 +0000", "Bcc": "",
	} {
		require.Equal(t, want, header.Get(name), name)
	}
	require.Equal(t, "New issue in Web shop\n\nTitle, written by the monitored app:\n    TypeError: x is undefined\n\n"+
		"Errand issue 42: seen 12 times, 1 user affected, level error, status unresolved.\nhttps://errand.example/issues/42\n", body)
}

func TestMailOfPing(t *testing.T) {
	t.Parallel()
	server := notifytest.NewMailServer(t, notifytest.MailOptions{})
	mailer := newMailer(t, server.URL(), server.Trust, notify.AttemptTimeout)

	outcome := mailer.Send(t.Context(), notifytest.NewPing(), []string{"a@example.com"})

	require.True(t, outcome.Delivered, outcome.Error)
	header, body := readMail(t, server.Mails()[0].Text)
	require.Equal(t, "[Errand] Test message from Errand", header.Get("Subject"))
	require.Empty(t, header.Get("References"))
	require.Equal(t, "Test message from Errand\n\nhttps://errand.example\n", body)
}

// A title cannot add a header or a line, nor end the mail.
func TestMailOfHostileTitles(t *testing.T) {
	t.Parallel()
	for _, title := range []string{
		notifytest.Hostile, "x\r\n.\r\nMAIL FROM:<evil@evil.example>", "=?utf-8?q?x=0d=0aBcc:_e@evil.example?=", strings.Repeat("ü", 300),
	} {
		server := notifytest.NewMailServer(t, notifytest.MailOptions{})
		mailer := newMailer(t, server.URL(), server.Trust, notify.AttemptTimeout)
		m := notifytest.NewExample()
		m.Issue.Title = core.Untrusted(title)

		outcome := mailer.Send(t.Context(), m, []string{"a@example.com"})

		require.True(t, outcome.Delivered, outcome.Error)
		require.Len(t, server.Mails(), 1)
		header, body := readMail(t, server.Mails()[0].Text)
		require.Empty(t, header.Get("Bcc"))
		subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(subject, "[Errand] New issue in Web shop: "))
		require.Contains(t, body, "\n    "+m.TitleLine()+"\n\nErrand issue 42")
	}
}

func TestSendToRefusedRecipients(t *testing.T) {
	t.Parallel()
	const gone, later = "gone@example.com", "later@example.com"
	server := notifytest.NewMailServer(t, notifytest.MailOptions{Refuse: map[string]int{gone: 550, later: 451}})
	mailer := newMailer(t, server.URL(), server.Trust, notify.AttemptTimeout)
	for name, test := range map[string]struct {
		to   []string
		want notify.Outcome
	}{
		"one for good": {[]string{gone, "a@example.com"},
			notify.Outcome{Delivered: true, Error: "the mail server did not take the mail for 1 of 2 recipients: it answered 550"}},
		"one for now": {[]string{later, "b@example.com"},
			notify.Outcome{Error: "the mail server did not take the mail for 1 of 2 recipients: it answered 451"}},
		"all for good": {[]string{gone},
			notify.Outcome{Error: "the mail server did not take the mail for 1 of 1 recipients: it answered 550"}},
		"two ways": {[]string{gone, later, "c@example.com"},
			notify.Outcome{Error: "the mail server did not take the mail for 2 of 3 recipients: it answered 550"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, mailer.Send(t.Context(), notifytest.NewExample(), test.to))
		})
	}
	require.Len(t, server.Mails(), 3, "who is not refused gets the mail")
}

// The errors say what is wrong, but never contain the password, even if the server repeats it.
func TestSendFails(t *testing.T) {
	t.Parallel()
	open := notifytest.NewMailServer(t, notifytest.MailOptions{})
	closed := notifytest.NewMailServer(t, notifytest.MailOptions{User: "errand", Password: "right"})
	plain := notifytest.NewMailServer(t, notifytest.MailOptions{NoSTARTTLS: true, User: "errand", Password: "topsecret"})
	wrongPassword := core.Secret(strings.Replace(closed.URL().Reveal(), "right", "topsecret", 1))
	noSignIn := core.Secret(strings.Replace(open.URL().Reveal(), "smtp://", "smtp://errand:topsecret@", 1))
	for name, test := range map[string]struct {
		url   core.Secret
		trust *x509.CertPool
		want  string
	}{
		"a wrong password":      {wrongPassword, closed.Trust, "the mail server answered 535"},
		"no sign-in there":      {noSignIn, open.Trust, "the mail server has no way of signing in that Errand knows"},
		"a password but no TLS": {plain.URL(), plain.Trust, "the mail server has no STARTTLS, which is required"},
		"TLS required":          {plain.URL() + "?starttls=required", plain.Trust, "the mail server has no STARTTLS, which is required"},
		"a certificate not to trust": {closed.URL(), x509.NewCertPool(),
			"the certificate of the mail server is signed by an authority that is not trusted"},
		"nobody there":             {"smtp://errand:topsecret@127.0.0.1:1", nil, "the mail server refused the connection"},
		"hangs":                    {speak(t, ""), nil, "the mail server did not answer within 10 seconds"},
		"hangs after its greeting": {speak(t, "220 mail.example.com ESMTP\r\n"), nil, "the mail server did not answer within 10 seconds"},
		"does not want us":         {speak(t, "554 go away topsecret\r\n"), nil, "the mail server answered 554"},
		"is not a mail server":     {speak(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), nil, "the connection to the mail server failed"},
		"TLS from the start, it isn't": {"smtps" + speak(t, "220 mail.example.com ESMTP\r\n")[len("smtp"):], nil,
			"the mail server does not speak TLS on this port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := notify.AttemptTimeout
			if strings.HasSuffix(test.want, "seconds") { // the others end on their own
				timeout = notifytest.Timeout
			}
			mailer := newMailer(t, test.url, test.trust, timeout)

			outcome := mailer.Send(t.Context(), notifytest.NewExample(), []string{"a@example.com"})

			require.Equal(t, notify.Outcome{Error: test.want}, outcome)
		})
	}
	require.Empty(t, plain.Mails())
}

// speak starts a server that sends a text, and then nothing until the client leaves. It returns its SMTP_URL.
func speak(t *testing.T, text string) core.Secret {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	notifytest.ServeRaw(t, listener, func(conn net.Conn) {
		_, _ = io.WriteString(conn, text)
		_, _ = io.Copy(io.Discard, bufio.NewReader(conn))
	})
	return core.Secret(fmt.Sprintf("smtp://%s", listener.Addr()))
}
