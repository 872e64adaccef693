package email

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// SendText makes one attempt to send a plain text to one recipient. Its errors repeat none of the server's words.
func (m *Mailer) SendText(ctx context.Context, to, subject, text string) error {
	if err := checkAddress(to); err != nil {
		return errors.New("the address is none that mails go to")
	}
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	mail, err := m.newMail(to, subject, time.Now())
	if err != nil {
		return errors.New("the mail could not be written")
	}
	mail.SetMessageIDWithValue(rand.Text() + "@" + m.domain())
	mail.SetBodyString(gomail.TypeTextPlain, text)
	if err := m.sendAll(ctx, []*gomail.Msg{mail}); err != nil {
		return errors.New(m.describeError(err))
	}
	if outcome := sumUp([]*gomail.Msg{mail}); !outcome.Delivered {
		return errors.New(outcome.Error)
	}
	return nil
}

// Check connects to the mail server and signs in, without sending anything. Its errors repeat none of the server's words.
func (m *Mailer) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	if err := m.sendAll(ctx, nil); err != nil {
		return errors.New(m.describeError(err))
	}
	return nil
}
