package email_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify/email"
)

func TestNewMailerRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ url, from, want string }{
		"no URL":              {"", from, "SMTP_URL must"},
		"no scheme":           {"mail.example.com:587", from, "SMTP_URL must"},
		"another scheme":      {"https://u:topsecret@mail.example.com", from, "SMTP_URL must begin with smtp:// or smtps://"},
		"no host":             {"smtp://u:topsecret@:25", from, "SMTP_URL must be"},
		"a path":              {"smtp://u:topsecret@mail.example.com/x", from, "SMTP_URL must be"},
		"not escaped":         {"smtp://u:topsecret%zz@mail.example.com", from, "SMTP_URL must be"},
		"an unknown setting":  {"smtp://u:topsecret@mail.example.com?tls=off", from, "SMTP_URL may end with"},
		"a port out of range": {"smtp://u:topsecret@mail.example.com:70000", from, "SMTP_URL must have a port"},
		"no sender":           {"smtp://mail.example.com", "", "EMAIL_FROM must"},
		"a broken sender":     {"smtp://mail.example.com", "errand", "EMAIL_FROM must"},
		"two senders":         {"smtp://mail.example.com", "a@example.com, b@example.com", "EMAIL_FROM must"},
		"a header in it":      {"smtp://mail.example.com", "a@example.com\r\nBcc: b@example.com", "EMAIL_FROM must"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := email.NewMailer(email.Options{URL: core.Secret(test.url), From: test.from})

			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "topsecret")
		})
	}
}

func TestNewMailerAccepts(t *testing.T) {
	t.Parallel()
	for _, url := range []core.Secret{
		"smtp://mail.example.com", "smtp://user:p%40ss@mail.example.com:2525/", "smtps://user:pass@[2001:db8::1]:465",
		"smtp://localhost:1025?starttls=required",
	} {
		_, err := email.NewMailer(email.Options{URL: url, From: "errand@example.com"})
		require.NoError(t, err)
	}
}

func TestCheckRecipients(t *testing.T) {
	t.Parallel()
	require.NoError(t, email.CheckRecipients([]string{"a@example.com", "a.b+c@mail.example.com", "o'brien@example.com"}))
	var many []string
	for i := range 21 {
		many = append(many, fmt.Sprintf("a%d@example.com", i))
	}
	require.NoError(t, email.CheckRecipients(many[:20]))
	for name, to := range map[string][]string{
		"nobody": nil, "too many": many, "twice": {"a@example.com", "A@Example.com"}, "no domain": {"a"}, "empty": {""},
		"a name":   {"A <a@example.com>"},
		"brackets": {"<a@example.com>"}, "two in one": {"a@example.com,b@example.com"},
		"a line break": {"a@example.com\r\nRCPT TO:<b@example.com>"},
		"a space":      {"a b@example.com"}, "quotes": {`"a b"@example.com`}, "not ASCII": {"ü@example.com"},
		"too long":             {strings.Repeat("a", 250) + "@example.com"},
		"an address as domain": {"a@[127.0.0.1]"}, "a comment": {"a@example.com(x)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, email.CheckRecipients(to), "must")
		})
	}
}

func FuzzCheckRecipients(f *testing.F) {
	f.Add("a@example.com")
	f.Add("a@example.com\r\nBcc: b@example.com")
	f.Fuzz(func(t *testing.T, address string) {
		if email.CheckRecipients([]string{address}) == nil {
			require.NotContains(t, address, "\n")
			require.NotContains(t, address, " ")
			require.Equal(t, 1, strings.Count(address, "@"))
		}
	})
}
