// Package discord is the format "chat_b": a message through a webhook of a Discord channel.
package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"errand/core"
	"errand/notify"
)

const (
	maxTitle       = 256  // characters of an embed's title
	maxDescription = 4096 // characters of its text
	maskedURL      = "https://discord.com/api/webhooks/***"
)

// urlForm matches the URLs that Discord's clients copy; those for the test channels name their own host. A URL may name a thread.
var urlForm = regexp.MustCompile(`^https://(?:(?:ptb\.|canary\.)?discord\.com|discordapp\.com)/api/(?:v[0-9]{1,2}/)?webhooks/` +
	`[0-9]{1,20}/[A-Za-z0-9_-]{1,100}(?:\?thread_id=[0-9]{1,20})?$`)

type body struct {
	Embeds          []embed         `json:"embeds"`
	AllowedMentions allowedMentions `json:"allowed_mentions"`
}

type embed struct {
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Timestamp   core.Time `json:"timestamp"`
}

// allowedMentions with an empty list prevents all mentions.
type allowedMentions struct {
	Parse []string `json:"parse"`
}

// CheckURL checks the form of the URL of a new webhook: https://discord.com/api/webhooks/<id>/<token>.
func CheckURL(url string) error {
	if !urlForm.MatchString(url) {
		return errors.New("must be the URL of a webhook of Discord: https://discord.com/api/webhooks/<id>/<token>")
	}
	return nil
}

// MaskURL returns the URL of a webhook as people see it: without the part that lets others post.
func MaskURL() string { return maskedURL }

// NewRequest returns the request of a delivery.
func NewRequest(ctx context.Context, m *notify.Message, target notify.Target) (*http.Request, error) {
	var lines []string
	if m.Issue != nil {
		lines = append(lines, "Title, written by the monitored app: "+notify.CodeSpan(m.TitleLine()),
			escapeText(m.DescribeCounts()), fmt.Sprintf("Errand issue %d", m.Issue.ID))
	}
	if m.Link != "" {
		lines = append(lines, "<"+m.Link+">") // without a preview
	}
	encoded, err := notify.EncodeJSON(body{
		Embeds: []embed{{
			Title: notify.CutText(escapeText(m.Headline()), maxTitle), Timestamp: m.CreatedAt,
			Description: notify.CutText(strings.Join(lines, "\n"), maxDescription),
		}},
		AllowedMentions: allowedMentions{Parse: []string{}},
	})
	if err != nil {
		return nil, err
	}
	return notify.NewRequest(ctx, target.URL, encoded)
}

// escapeText writes a backslash before each character with a meaning in Discord's markdown.
func escapeText(line string) string {
	var b strings.Builder
	for _, r := range line {
		if strings.ContainsRune("\\*_~`|>#[]()<@:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
