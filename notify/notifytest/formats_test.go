package notifytest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/formats"
	"errand/notify/notifytest"
)

// overHTTP returns the formats whose deliveries are requests.
func overHTTP() map[core.WebhookFormat]notify.Format {
	requests := map[core.WebhookFormat]notify.Format{}
	for name, form := range formats.List() {
		if form.Request.NewRequest != nil {
			requests[name] = form.Request
		}
	}
	return requests
}

// Every format meets every HTTP status.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for name, format := range overHTTP() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			notifytest.CheckStatuses(t, format)
		})
	}
}

// Every format reports all that it may of every event, over TLS, and never a secret of the webhook in the body.
func TestFormatsSendEveryEvent(t *testing.T) {
	t.Parallel()
	events := []notify.EventName{notify.IssueNew, notify.IssueRegressed, notify.IssueVerified, notify.IssueSpike, notify.Ping}
	for name, format := range overHTTP() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			receiver := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusNoContent))
			sender := notifytest.NewSender(receiver.Trust, &notifytest.Names{}, notify.AttemptTimeout)
			for _, event := range events {
				m := notifytest.NewExample()
				if event == notify.Ping {
					m = notifytest.NewPing()
				}
				m.Event = event
				target := notify.Target{URL: core.Secret(receiver.URL + "/url-secret"), Secret: "whsec_secret", Token: "scm-secret"}

				outcome := sender.Send(t.Context(), format, m, target)

				require.True(t, outcome.Delivered, outcome.Error)
			}
			received := receiver.Received()
			require.Len(t, received, len(events))
			for _, one := range received {
				require.NotContains(t, string(one.Body), "secret")
				require.Equal(t, "application/json", one.Header.Get("Content-Type"))
				require.Equal(t, "Service-Webhook/1.2.3", one.Header.Get("User-Agent"))
			}
		})
	}
}
