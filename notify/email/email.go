package email

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"errand/notify"
)

const (
	maxSubject = 250 // characters
	// Codes from codeRefused up mean that another attempt does not help.
	codeRefused = 500
)

// Send makes one attempt: a mail to each recipient, over one connection. The delivery has succeeded when at least one
// recipient got it and another attempt can reach no more of them, because the server refuses the other addresses for
// good. A mail has the same Message-ID in every attempt, so that people who already got it see it once.
func (m *Mailer) Send(ctx context.Context, message *notify.Message, to []string) notify.Outcome {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	var mails []*gomail.Msg
	for _, recipient := range to {
		written, err := m.writeMail(message, recipient)
		if err != nil {
			return notify.Outcome{Error: "the mail could not be written"}
		}
		mails = append(mails, written)
	}
	if err := m.sendAll(ctx, mails); err != nil {
		return notify.Outcome{Error: m.describeError(err)}
	}
	return sumUp(mails)
}

// sendAll connects, signs in and sends. It closes the connection when ctx ends, and always at the end, since the library
// leaves it open when the sign-in fails. Each mail records whether the server took it.
func (m *Mailer) sendAll(ctx context.Context, mails []*gomail.Msg) error {
	closeConn := func() bool { return true }
	defer func() { closeConn() }()
	client, err := m.newClient(func(dialCtx context.Context, network, address string) (net.Conn, error) {
		conn, err := m.dialServer(dialCtx, network, address)
		if err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		closeConn = func() bool { return stop() && conn.Close() == nil }
		return conn, nil
	})
	if err != nil {
		return err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	if client.Send(mails...) == nil {
		_ = client.Close() // closes the session politely
	}
	if countTaken(mails) == 0 {
		return ctx.Err()
	}
	return nil
}

func countTaken(mails []*gomail.Msg) int {
	taken := 0
	for _, mail := range mails {
		if mail.IsDelivered() {
			taken++
		}
	}
	return taken
}

// sumUp returns the outcome of an attempt after which each mail was sent or has an error.
func sumUp(mails []*gomail.Msg) notify.Outcome {
	taken := countTaken(mails)
	if taken == len(mails) {
		return notify.Outcome{Delivered: true}
	}
	lastCode, isFinal := 0, true
	for _, mail := range mails {
		if mail.IsDelivered() {
			continue
		}
		code := 0
		var failed *gomail.SendError
		if errors.As(mail.SendError(), &failed) {
			code = failed.ErrorCode()
		}
		isFinal = isFinal && code >= codeRefused
		lastCode = max(lastCode, code)
	}
	text := fmt.Sprintf("the mail server did not take the mail for %d of %d recipients", len(mails)-taken, len(mails))
	if lastCode != 0 {
		text += fmt.Sprintf(": it answered %d", lastCode)
	}
	return notify.Outcome{Delivered: taken > 0 && isFinal, Error: text}
}

// describeError returns why no mail was sent. It uses only the code of the server's answer, whose text may repeat what was sent to it.
func (m *Mailer) describeError(err error) string {
	var answer *textproto.Error
	if errors.As(err, &answer) {
		return fmt.Sprintf("the mail server answered %d", answer.Code)
	}
	for _, missing := range []error{gomail.ErrNoSupportedAuthDiscovered, gomail.ErrPlainAuthNotSupported, gomail.ErrLoginAuthNotSupported} {
		if errors.Is(err, missing) {
			return "the mail server has no way of signing in that Errand knows"
		}
	}
	switch text := err.Error(); { // the library has no types for these
	case strings.Contains(text, "STARTTLS"):
		return "the mail server has no STARTTLS, which is required"
	case strings.Contains(text, "SMTP AUTH") || strings.Contains(text, "unsupported"):
		return "the mail server has no way of signing in that Errand knows"
	}
	return notify.DescribeFailure("the mail server", err)
}

func (m *Mailer) writeMail(message *notify.Message, recipient string) (*gomail.Msg, error) {
	mail, err := m.newMail(recipient, notify.CutText("[Errand] "+joinTitle(message), maxSubject), message.SentAt)
	if err != nil {
		return nil, err
	}
	mail.SetMessageIDWithValue(fmt.Sprintf("errand-delivery-%d@%s", message.DeliveryID, m.domain()))
	if message.Issue != nil { // mails about an issue form one conversation
		mail.SetGenHeader(gomail.HeaderReferences, fmt.Sprintf("<errand-issue-%d@%s>", message.Issue.ID, m.domain()))
	}
	mail.SetBodyString(gomail.TypeTextPlain, writeText(message))
	return mail, nil
}

// newMail returns a mail without its text and its Message-ID.
func (m *Mailer) newMail(recipient, subject string, sentAt time.Time) (*gomail.Msg, error) {
	mail := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	mail.FromMailAddress(m.from)
	if err := mail.To(recipient); err != nil {
		return nil, err
	}
	mail.Subject(subject)
	mail.SetDateWithValue(sentAt)
	mail.SetGenHeader("Auto-Submitted", "auto-generated") // so that no out-of-office reply comes back
	mail.SetGenHeader("X-Auto-Response-Suppress", "All")
	return mail, nil
}

func joinTitle(message *notify.Message) string {
	if message.Issue == nil {
		return message.Headline()
	}
	return message.Headline() + ": " + message.TitleLine()
}

// writeText returns the mail's text. It is plain text, so that nothing in a title is formatted.
func writeText(message *notify.Message) string {
	lines := []string{message.Headline(), ""}
	if message.Issue != nil {
		lines = append(lines,
			"Title, written by the monitored app:",
			"    "+message.TitleLine(), "",
			fmt.Sprintf("Errand issue %d: %s.", message.Issue.ID, message.DescribeCounts()))
	}
	if message.Link != "" {
		lines = append(lines, message.Link)
	}
	return strings.Join(lines, "\n") + "\n"
}
