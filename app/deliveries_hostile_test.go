package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/mail"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify/notifytest"
	"errand/store/storetest"
)

// sendHostile sends an event whose text tries mentions, links, markup and headers.
func (s *server) sendHostile(t *testing.T, key string) {
	t.Helper()
	event, err := json.Marshal(map[string]any{"exception": map[string]string{"type": "Boom", "value": notifytest.Hostile}})
	require.NoError(t, err)
	got := s.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", key, strings.NewReader(string(event)))
	require.Equal(t, http.StatusOK, got.status, got.body)
}

// The text of an app adds no header and no recipient to a mail.
func TestHostileTextInAMail(t *testing.T) {
	t.Parallel()
	mails := notifytest.NewMailServer(t, notifytest.MailOptions{NoSTARTTLS: true})
	c := hookConfig(storetest.NewURL(t))
	c.SMTPURL, c.EmailFrom = mails.URL(), "Errand <errand@example.com>"
	s := startServer(t, c)
	key := s.makeProject(t)
	webhook, _ := s.makeWebhook(t, `"format": "email", "to": ["ops@example.com"]`)

	s.sendHostile(t, key)

	require.Equal(t, core.DeliveryDelivered, s.waitForDelivery(t, webhook, hasEnded).Status)
	sent := mails.Mails()
	require.Len(t, sent, 1)
	require.Equal(t, "ops@example.com", sent[0].To)
	read, err := mail.ReadMessage(strings.NewReader(sent[0].Text))
	require.NoError(t, err)
	require.Empty(t, read.Header["Bcc"])
	require.Contains(t, read.Header.Get("Content-Type"), "text/plain")
	require.Equal(t, []string{"<ops@example.com>"}, read.Header["To"])
}

// In an issue of the source control the whole brief is code: no line of it leaves its fence.
func TestHostileTextInASourceControlIssue(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"number":7}`))
	})
	c := hookConfig(storetest.NewURL(t))
	c.SCMAPIURL = receiver.URL
	s := startServer(t, c)
	key := s.makeProject(t)
	webhook, _ := s.makeWebhook(t, `"format": "scm_issue", "github_token": "scm-secret", "url": "`+receiver.URL+`/repos/acme/shop/issues"`)

	s.sendHostile(t, key)

	require.Equal(t, core.DeliveryDelivered, s.waitForDelivery(t, webhook, hasEnded).Status)
	received := receiver.Received()
	require.Len(t, received, 1)
	var issue struct{ Title, Body string }
	require.NoError(t, json.Unmarshal(received[0].Body, &issue))
	before, rest, isFenced := strings.Cut(issue.Body, "````text\n")
	require.True(t, isFenced, issue.Body)
	require.NotContains(t, before, "@", "outside of the fence is only what Errand says")
	require.NotContains(t, before, "Boom")
	inside, after, _ := strings.Cut(rest, "\n````")
	require.Contains(t, inside, "@everyone")
	require.Empty(t, strings.Trim(after, "`\n"))
	require.NotContains(t, issue.Title, "\u202E")
	require.NotContains(t, s.log.String(), "scm-secret")
}

// A receiver with an untrusted certificate gets nothing, and the list of deliveries says why.
func TestBadCertificateIsRecorded(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusOK)) // self-signed
	s := startServer(t, hookConfig(storetest.NewURL(t)))
	webhook, _ := s.makeWebhook(t, `"url": "`+receiver.URL+`/hook?key=url-secret"`)

	s.postAsAdmin(t, fmt.Sprintf("/v1/webhooks/%d/test", webhook), "")

	delivery := s.waitForDelivery(t, webhook, func(d core.Delivery) bool { return strings.Contains(string(d.LastError), "certificate") })
	require.Equal(t, core.Text("the certificate of 127.0.0.1 is signed by an authority that is not trusted"), delivery.LastError)
	require.Equal(t, core.DeliveryPending, delivery.Status)
	require.EqualValues(t, 1, delivery.Attempts)
	require.Zero(t, delivery.LastStatus)
	require.Empty(t, receiver.Received())
	require.NotContains(t, s.log.String(), "url-secret")
}
