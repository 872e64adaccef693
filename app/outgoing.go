package app

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"errand/core"
	"errand/notify"
	"errand/notify/email"
	"errand/notify/wake"
	"errand/seal"
	"errand/tools"
)

// OutgoingConfig is the part of the Config that webhooks and mails need.
type OutgoingConfig struct {
	EncryptionKeys      core.Secret `name:"encryption-keys" env:"ENCRYPTION_KEYS"`
	SMTPURL             core.Secret `name:"smtp-url" env:"SMTP_URL"`
	EmailFrom           string      `name:"email-from" env:"EMAIL_FROM"`
	SCMAPIURL           string      `name:"scm-api-url" env:"SCM_API_URL" default:"https://api.github.com"`
	WebhookAllowPrivate string      `name:"webhook-allow-private" env:"WEBHOOK_ALLOW_PRIVATE"`

	Notify core.Secret `name:"notify" env:"NOTIFY"` // its URL can contain a password

	mailer  *email.Mailer  // from SMTPURL and EmailFrom; nil: no mail is sent
	private []netip.Prefix // from WebhookAllowPrivate
}

// readOutgoing checks the settings. Its errors say what cannot work.
func (c *OutgoingConfig) readOutgoing() (err error) {
	if c.private, err = notify.ParsePrivate(c.WebhookAllowPrivate); err != nil {
		return fmt.Errorf("WEBHOOK_ALLOW_PRIVATE %w", err)
	}
	if c.SCMAPIURL = strings.TrimRight(c.SCMAPIURL, "/"); c.SCMAPIURL != "" {
		parsed, err := url.Parse(c.SCMAPIURL)
		if err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Host == "" || parsed.User != nil ||
			strings.ContainsAny(c.SCMAPIURL, "?#") {
			return errors.New("SCM_API_URL must be a URL such as https://api.github.com or https://git.example.com/api/v3")
		}
	}
	if c.Notify != "" {
		if err := wake.CheckURL(c.Notify); err != nil {
			return fmt.Errorf("NOTIFY %w", err)
		}
	}
	if c.SMTPURL == "" && c.EmailFrom == "" {
		return nil
	}
	if c.SMTPURL == "" {
		return errors.New("SMTP_URL must be set where EMAIL_FROM is")
	}
	c.mailer, err = email.NewMailer(email.Options{URL: c.SMTPURL, From: c.EmailFrom})
	return err
}

// encryptionKeysFile is the file in DATA_DIR with the generated ENCRYPTION_KEYS.
const encryptionKeysFile = "encryption-keys"

// loadKeys returns the keys that seal the secrets of webhooks; nil for none. A private installation makes a key when
// none is set. It continues to read with that key after others are set.
func (a *App) loadKeys(ctx context.Context) (*seal.Ring, error) {
	text, err := a.config.collectKeys(a.config.EncryptionKeys == "")
	if err != nil || text == "" {
		return nil, err
	}
	ring, invalid := seal.ParseRing(text)
	for _, id := range invalid {
		a.log.WarnContext(ctx, "an entry of ENCRYPTION_KEYS is ignored: it must be <id>:<32 random bytes in base64>, with an id of its own",
			"key_id", id)
	}
	return ring, nil
}

// collectKeys returns ENCRYPTION_KEYS and, of a private installation, the generated keys behind them. If there are none, it makes
// one if it is needed.
func (c *Config) collectKeys(isNeeded bool) (core.Secret, error) {
	if !c.isPrivate() {
		return c.EncryptionKeys, nil
	}
	kept, err := loadKeptKeys(c.DataDir, isNeeded)
	return core.Secret(strings.Trim(c.EncryptionKeys.Reveal()+","+kept.Reveal(), ",")), err
}

// loadKeptKeys returns the generated keys of a private installation. If there are none, it makes them if they are needed.
func loadKeptKeys(dataDir string, isNeeded bool) (core.Secret, error) {
	path := filepath.Join(dataDir, encryptionKeysFile)
	text, err := readSecret(path)
	switch ring, _ := seal.ParseRing(core.Secret(text)); {
	case err == nil && ring.CanSeal():
		return core.Secret(text), nil
	case err == nil:
		return "", fmt.Errorf("%s holds no key: put it back from a backup, or delete the file, and create the webhooks again", path)
	case !errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("the encryption keys: %w", err)
	case !isNeeded:
		return "", nil
	}
	var key [32]byte
	if _, err := rand.Read(key[:]); err != nil {
		return "", err
	}
	// The id is random too, so that it differs from ids that somebody sets later.
	made := core.Secret("made-" + strings.ToLower(rand.Text()[:8]) + ":" + base64.StdEncoding.EncodeToString(key[:]))
	if err := writeSecret(path, made); err != nil {
		return "", fmt.Errorf("the encryption keys: %w", err)
	}
	return made, nil
}

// describeWebhooks returns the options for the operations about webhooks.
func (a *App) describeWebhooks() tools.WebhookOptions {
	return tools.WebhookOptions{Keys: a.keys, Guard: a.guard, SCMAPIURL: a.config.SCMAPIURL, SendsMail: a.config.mailer != nil}
}

// openOutgoing prepares what webhooks and mails need.
func (a *App) openOutgoing(ctx context.Context) (err error) {
	a.guard = &notify.Guard{Lookup: net.DefaultResolver.LookupNetIP, Private: a.config.private}
	a.keys, err = a.loadKeys(ctx)
	return err
}
