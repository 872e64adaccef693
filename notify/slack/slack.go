// Package slack is the format "chat_a": a message through an incoming webhook of Slack.
package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"errand/notify"
)

const (
	urlStart  = "https://hooks.slack.com/services/"
	maskedEnd = "***"
)

// services is the rest of a URL after urlStart: the ids of the workspace and the webhook, and its secret.
var services = regexp.MustCompile(`^[A-Za-z0-9]{1,40}/[A-Za-z0-9]{1,40}/[A-Za-z0-9]{1,80}$`)

type body struct {
	Text        string  `json:"text"` // for notifications
	Blocks      []block `json:"blocks"`
	Parse       string  `json:"parse"`
	LinkNames   bool    `json:"link_names"`
	UnfurlLinks bool    `json:"unfurl_links"`
	UnfurlMedia bool    `json:"unfurl_media"`
}

type block struct {
	Type string `json:"type"`
	Text text   `json:"text"`
}

type text struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim"` // names of people and channels stay text
}

// CheckURL checks the form of the URL of a new webhook: https://hooks.slack.com/services/T.../B.../....
func CheckURL(url string) error {
	end, ok := strings.CutPrefix(url, urlStart)
	if !ok || !services.MatchString(end) {
		return errors.New("must be the URL of an incoming webhook of Slack: " + urlStart + "<workspace>/<webhook>/<secret>")
	}
	return nil
}

// MaskURL returns the URL of a webhook as people see it: without the part that lets others post.
func MaskURL() string { return urlStart + maskedEnd }

// NewRequest returns the request of a delivery.
func NewRequest(ctx context.Context, m *notify.Message, target notify.Target) (*http.Request, error) {
	lines := []string{"*" + escapeText(m.Headline()) + "*"}
	summary := m.Headline()
	if m.Issue != nil {
		summary += ": " + m.TitleLine()
		lines = append(lines, "Title, written by the monitored app: "+escapeText(notify.CodeSpan(m.TitleLine())),
			escapeText(m.DescribeCounts()))
	}
	if m.Link != "" {
		lines = append(lines, fmt.Sprintf("<%s|%s>", strings.ReplaceAll(escapeText(m.Link), "|", "%7C"), nameLink(m)))
	}
	encoded, err := notify.EncodeJSON(body{
		Text: escapeText(summary), Parse: "none",
		Blocks: []block{{Type: "section", Text: text{Type: "mrkdwn", Text: strings.Join(lines, "\n"), Verbatim: true}}},
	})
	if err != nil {
		return nil, err
	}
	return notify.NewRequest(ctx, target.URL, encoded)
}

func nameLink(m *notify.Message) string {
	if m.Issue == nil {
		return "Errand"
	}
	return fmt.Sprintf("Issue %d in Errand", m.Issue.ID)
}

// escapeText escapes the three characters that Slack uses in links and mentions such as <!channel>.
func escapeText(line string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(line)
}
