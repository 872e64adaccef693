package accounts

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"errand/core"
	"errand/store"
)

const (
	// maxMailsWaiting bounds the mails that wait to be sent.
	maxMailsWaiting = 100
	mailTimeout     = time.Minute
)

// passwordMail is a mail to the user with the address, if there is one.
type passwordMail struct{ address string }

// RequestPassword requests a mail to a user who has forgotten the password, with a link to set a new one. Nothing shows whether such a
// user exists, not even the duration: SendMails does all the work. It returns limit when the client asks too often.
func (a *Accounts) RequestPassword(ctx context.Context, emailAddress string, client netip.Addr) error {
	err := a.Store.CountAttempt(ctx, store.AttemptLimit{
		Subject: hashSubject("mail from", client.String()), Limit: mailsPerClient, Window: mailWindow,
	})
	if err != nil {
		return err
	}
	address, err := core.ReadEmailAddress(emailAddress)
	if err != nil {
		return nil
	}
	select {
	case a.mails <- passwordMail{address}:
		return nil
	default:
		return core.NewError(core.Unavailable).Because(fmt.Errorf("%d mails wait to be sent", maxMailsWaiting))
	}
}

// SendMails sends the mails of RequestPassword until ctx ends.
func (a *Accounts) SendMails(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case mail := <-a.mails:
			if err := a.sendPasswordMail(ctx, mail.address); err != nil && ctx.Err() == nil {
				a.Log.WarnContext(ctx, "the mail for a new password was not sent", "error", err)
			}
		}
	}
}

// sendPasswordMail sends a mail to the user with the address. Users who may not sign in, or who have no password and
// sign in through a provider, get none. Nobody gets many.
func (a *Accounts) sendPasswordMail(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	user, err := a.Store.FindUserByEmail(ctx, address)
	if core.HasCode(err, core.NotFound) || err == nil && (!user.DisabledAt.IsZero() || user.PasswordHash == "") {
		return nil
	}
	if err != nil {
		return err
	}
	err = a.Store.CountAttempt(ctx, store.AttemptLimit{Subject: hashSubject("mail to", address), Limit: mailsPerAccount, Window: mailWindow})
	if core.HasCode(err, core.Limit) {
		return nil
	}
	if err != nil {
		return err
	}
	code, err := core.NewCredential(a.Random, core.LinkPrefix)
	if err != nil {
		return err
	}
	if err := a.Store.MakePasswordLink(ctx, user.ID, hashSecret(code)); err != nil {
		return err
	}
	return a.Mail(ctx, user.EmailAddress, "[Errand] Set a new password", fmt.Sprintf(passwordText, a.BaseURL(), code.Reveal()))
}

const passwordText = `Somebody, probably you, asked for a new password for your account at Errand.

Set it here within an hour:

%s/reset-password?code=%s

If it was not you, there is nothing to do: the password stays as it is.
`
