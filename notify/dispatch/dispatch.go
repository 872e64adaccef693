// Package dispatch is the format "scm_dispatch": it starts a workflow in a source control by a repository dispatch.
package dispatch

import (
	"context"
	"net/http"
	"unicode/utf8"

	"errand/notify"
)

const (
	// maxBrief is how many bytes of JSON the brief may have. GitHub takes less than 64 KB in total; the rest is the
	// issue, whose longest parts are its title and its fix.
	maxBrief = 56 << 10
	cutNote  = "\n\n[cut here: get_brief has the whole brief]\n"
)

type body struct {
	EventType     string  `json:"event_type"`
	ClientPayload payload `json:"client_payload"`
}

type payload struct {
	Event         notify.EventName `json:"event"`
	DeliveryID    int64            `json:"delivery_id"`
	WebhookID     int64            `json:"webhook_id"`
	Issue         *notify.Issue    `json:"issue"`
	BriefMarkdown *string          `json:"brief_markdown"`
}

// CheckURL checks the form of the URL of a new webhook: {apiURL}/repos/<owner>/<repo>/dispatches.
func CheckURL(apiURL, text string) error {
	return notify.CheckRepositoryURL(apiURL, text, "dispatches")
}

// NewRequest returns the request of a delivery, signed like the format service. The source control passes the headers
// to nobody, but a proxy in front of it may check them. Only the status 204 means that it was delivered.
func NewRequest(ctx context.Context, m *notify.Message, target notify.Target) (*http.Request, error) {
	content := payload{Event: m.Event, DeliveryID: m.DeliveryID, WebhookID: m.WebhookID, Issue: m.Issue}
	if m.Brief != nil {
		markdown := cutEncoded(m.Brief.Markdown, maxBrief)
		content.BriefMarkdown = &markdown
	}
	request, err := notify.NewRepositoryRequest(ctx, target.URL, target.Token,
		body{EventType: "service." + string(m.Event), ClientPayload: content})
	if err != nil {
		return nil, err
	}
	return request, notify.AddDeliveryHeaders(request, m, target)
}

// cutEncoded returns the part of a text that fits into limit bytes of JSON.
func cutEncoded(text string, limit int) string {
	size := 0
	fits := 0 // the length that leaves room for the note
	for i, r := range text {
		if size <= limit-2*len(cutNote) {
			fits = i
		}
		if size += encodedSize(r); size > limit {
			return text[:fits] + cutNote
		}
	}
	return text
}

// encodedSize returns the most bytes that a character takes in JSON.
func encodedSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t':
		return 2
	case r < ' ', r == '\u2028', r == '\u2029', r == utf8.RuneError:
		return 6
	}
	return utf8.RuneLen(r)
}
