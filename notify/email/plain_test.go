package email_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
)

func TestSendText(t *testing.T) {
	t.Parallel()
	server := notifytest.NewMailServer(t, notifytest.MailOptions{
		User: "errand", Password: "topsecret", Refuse: map[string]int{"gone@example.com": 550},
	})
	mailer := newMailer(t, server.URL(), server.Trust, notify.AttemptTimeout)
	const text = "Set it here:\n\nhttps://errors.example/reset-password?code=link_" + "0123456789012345678901234567890123456789012\n"

	require.NoError(t, mailer.SendText(t.Context(), "ann@example.com", "[Errand] Set a new password", text))

	mails := server.Mails()
	require.Len(t, mails, 1)
	require.True(t, mails[0].TLS)
	header, body := readMail(t, mails[0].Text)
	require.Equal(t, text, body)
	require.Equal(t, "[Errand] Set a new password", header.Get("Subject"))
	require.Equal(t, "auto-generated", header.Get("Auto-Submitted"))
	require.Regexp(t, `^<\w+@errand\.example>$`, header.Get("Message-ID"))
	require.ErrorContains(t, mailer.SendText(t.Context(), "gone@example.com", "s", text), "550")
	require.Error(t, mailer.SendText(t.Context(), "ann@example.com\r\nBcc: eve@example.com", "s", text))
	away := newMailer(t, core.Secret("smtp://errand:topsecret@127.0.0.1:1"), server.Trust, notify.AttemptTimeout)
	err := away.SendText(t.Context(), "ann@example.com", "s", text)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "topsecret")
	require.NotContains(t, err.Error(), "link_")
}
