package notifytest

import (
	"encoding/json"
	"time"

	"errand/core"
	"errand/notify"
)

// SentAt is the time when the example is sent.
var SentAt = time.Date(2026, 1, 3, 18, 22, 50, 123e6, time.UTC)

// Hostile is a title that tries everything: mentions, links, markdown, HTML, line breaks, a header, and hidden characters.
const Hostile = "Boom <!channel> <@U123> @everyone @here [click](https://evil.example) `code` ``` **b** " +
	"<b>&amp;</b>\r\nBcc: x@evil.example\n" +
	"\u202Eright\u200Bleft\U000E0041\x1b[31m\x00 <https://evil.example|ok> ![](https://evil.example/p.png) #1"

// NewExample returns a message of a new issue.
func NewExample() *notify.Message {
	return &notify.Message{
		Event: notify.IssueNew, DeliveryID: 7, WebhookID: 3, CreatedAt: core.At(SentAt.Add(-time.Second)), SentAt: SentAt,
		Project: "Web shop", Link: "https://errand.example/issues/42",
		Issue: &notify.Issue{
			ID: 42, ProjectID: 1234567890, Status: core.Unresolved, Level: "error", Trust: core.TrustHigh, Priority: 12.5,
			TimesSeen: 12, UsersAffected: 1, FirstSeen: core.At(SentAt.Add(-time.Hour)), LastSeen: core.At(SentAt.Add(-time.Minute)),
			Title: "TypeError: x is undefined",
		},
		Brief: &notify.Brief{Version: "v1", Markdown: "# Issue 42\n\nIt broke.\n", JSON: json.RawMessage(`{"id":42,"title_untrusted":"a < b"}`)},
	}
}

// NewPing returns the message of a test.
func NewPing() *notify.Message {
	return &notify.Message{
		Event: notify.Ping, DeliveryID: 8, WebhookID: 3, CreatedAt: core.At(SentAt), SentAt: SentAt, Link: "https://errand.example",
	}
}
