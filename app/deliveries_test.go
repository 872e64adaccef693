package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
	"errand/store/storetest"
)

// encryptionKeys is a key of the tests.
const encryptionKeys = "test:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// hookConfig is the configuration of a server that may call the loopback address.
func hookConfig(databaseURL string) app.Config {
	c := configWithJobs(databaseURL)
	c.EncryptionKeys, c.WebhookAllowPrivate = encryptionKeys, "127.0.0.1/32"
	return c
}

// makeWebhook makes a webhook and returns its id and its secret.
func (s *server) makeWebhook(t *testing.T, fields string) (id int64, secret core.Secret) {
	t.Helper()
	made := s.postAsAdmin(t, "/v1/webhooks", `{"name": "runner", "min_trust": "low", "events": ["issue.new", "issue.regressed"], `+fields+`}`)
	text, _ := made["secret"].(string)
	return int64(made["id"].(float64)), core.Secret(text)
}

// listDeliveries returns the deliveries of a webhook, most recent first.
func (s *server) listDeliveries(t *testing.T, webhook int64) []core.Delivery {
	t.Helper()
	got := s.sendRequest(t.Context(), http.MethodGet, fmt.Sprintf("/v1/webhooks/%d/deliveries", webhook), "", nil)
	require.Equal(t, http.StatusOK, got.status, got.body)
	var list struct{ Data []core.Delivery }
	require.NoError(t, json.Unmarshal([]byte(got.body), &list))
	return list.Data
}

// waitForDelivery waits until the webhook's only delivery satisfies a condition, and returns it.
func (s *server) waitForDelivery(t *testing.T, webhook int64, isIt func(core.Delivery) bool) core.Delivery {
	t.Helper()
	var last core.Delivery
	require.Eventually(t, func() bool {
		list := s.listDeliveries(t, webhook)
		if len(list) != 1 {
			return false
		}
		last = list[0]
		return isIt(last)
	}, atMost, every)
	return last
}

func hasEnded(d core.Delivery) bool { return d.Status != core.DeliveryPending }

// A new issue is reported immediately, signed, with its brief.
func TestNewIssueIsDelivered(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusAccepted))
	s := startServer(t, hookConfig(storetest.NewURL(t)))
	key := s.makeProject(t)
	webhook, secret := s.makeWebhook(t, `"url": "`+receiver.URL+`/hook?key=url-secret"`)

	issue := s.sendEvent(t, key)

	delivery := s.waitForDelivery(t, webhook, hasEnded)
	require.Equal(t, core.DeliveryDelivered, delivery.Status)
	require.EqualValues(t, 1, delivery.Attempts)
	require.EqualValues(t, http.StatusAccepted, delivery.LastStatus)
	require.Empty(t, delivery.LastError)
	received := receiver.Received()
	require.Len(t, received, 1)
	header := received[0].Header
	require.Equal(t, "issue.new", header.Get("X-Service-Event"))
	require.Equal(t, fmt.Sprint(delivery.ID), header.Get("X-Service-Delivery"))
	require.Equal(t, "Service-Webhook/0.0.0", header.Get("User-Agent"))
	requireSigned(t, secret, received[0])
	var body struct {
		Issue struct{ ID int64 }
		Brief struct{ Version, Markdown string }
	}
	require.NoError(t, json.Unmarshal(received[0].Body, &body))
	require.Equal(t, issue, body.Issue.ID)
	require.Equal(t, "v1", body.Brief.Version)
	require.Contains(t, body.Brief.Markdown, "cart cannot be loaded")
	require.NotContains(t, s.log.String(), "url-secret")
	require.NotContains(t, s.log.String(), secret.Reveal())
}

// requireSigned checks the signature of a request.
func requireSigned(t *testing.T, secret core.Secret, received notifytest.Received) {
	t.Helper()
	header := received.Header.Get("X-Service-Signature")
	seconds, _, _ := strings.Cut(strings.TrimPrefix(header, "t="), ",")
	var unix int64
	_, err := fmt.Sscan(seconds, &unix)
	require.NoError(t, err)
	require.Equal(t, notify.SignBody(secret, time.Unix(unix, 0), received.Body), header)
	require.WithinDuration(t, time.Now(), time.Unix(unix, 0), time.Minute)
}

func TestPingIsDelivered(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	s := startServer(t, hookConfig(storetest.NewURL(t)))
	webhook, secret := s.makeWebhook(t, `"url": "`+receiver.URL+`"`)

	s.postAsAdmin(t, fmt.Sprintf("/v1/webhooks/%d/test", webhook), "")

	require.Equal(t, core.DeliveryDelivered, s.waitForDelivery(t, webhook, hasEnded).Status)
	received := receiver.Received()
	require.Len(t, received, 1)
	requireSigned(t, secret, received[0])
	require.Contains(t, string(received[0].Body), `"issue":null,"brief":null}`)
}

// A receiver that fails gets a second attempt a minute later. The list of deliveries says why, without the URL's secrets.
func TestFailureIsRecorded(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusInternalServerError))
	s := startServer(t, hookConfig(storetest.NewURL(t)))
	key := s.makeProject(t)
	webhook, _ := s.makeWebhook(t, `"url": "`+receiver.URL+`/hook?key=url-secret"`)

	s.sendEvent(t, key)

	delivery := s.waitForDelivery(t, webhook, func(d core.Delivery) bool { return d.LastStatus == http.StatusInternalServerError })
	require.Equal(t, core.DeliveryPending, delivery.Status)
	require.EqualValues(t, 1, delivery.Attempts)
	require.Equal(t, core.Text("answered 500 Internal Server Error"), delivery.LastError)
	require.WithinDuration(t, time.Now().Add(time.Minute), delivery.NextAttemptAt.Time, 20*time.Second)
}

// Mails go to a real mail server.
func TestEmailIsSent(t *testing.T) {
	t.Parallel()
	mails := notifytest.NewMailServer(t, notifytest.MailOptions{NoSTARTTLS: true})
	c := hookConfig(storetest.NewURL(t))
	c.SMTPURL, c.EmailFrom = mails.URL(), "Errand <errand@example.com>"
	s := startServer(t, c)
	key := s.makeProject(t)
	webhook, _ := s.makeWebhook(t, `"format": "email", "to": ["ops@example.com", "dev@example.com"]`)

	issue := s.sendEvent(t, key)

	require.Equal(t, core.DeliveryDelivered, s.waitForDelivery(t, webhook, hasEnded).Status)
	sent := mails.Mails()
	require.Len(t, sent, 2)
	require.Contains(t, sent[0].Text, "New issue in Web shop")
	require.Contains(t, sent[0].Text, fmt.Sprintf("/issues/%d", issue))
	require.NotContains(t, s.log.String(), "ops@example.com")
}

// A server that only takes events wakes one that sends, over NATS, long before its next regular look.
func TestDeliveryOfAnotherServerIsSentAtOnce(t *testing.T) {
	t.Parallel()
	nats, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	require.NoError(t, err)
	nats.Start()
	t.Cleanup(func() {
		nats.Shutdown()
		nats.WaitForShutdown()
	})
	require.True(t, nats.ReadyForConnections(atMost))
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	databaseURL := storetest.NewURL(t)
	start := func(roles string) *server {
		c := hookConfig(databaseURL)
		c.Roles, c.Notify = roles, core.Secret("nats://"+nats.Addr().String())
		return startServer(t, c)
	}
	taker := start("ingest,api")
	start("worker")
	key := taker.makeProject(t)
	webhook, _ := taker.makeWebhook(t, `"url": "`+receiver.URL+`"`)
	require.Eventually(t, func() bool { return nats.NumClients() == 2 }, atMost, every)

	sent := time.Now()
	taker.sendEvent(t, key)

	taker.waitForDelivery(t, webhook, hasEnded)
	require.Less(t, time.Since(sent), 4*time.Second)
	require.Len(t, receiver.Received(), 1)
}

// Deliveries that a stopped server did not send are sent by the next one.
func TestDeliveriesOutliveTheServer(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	databaseURL := storetest.NewURL(t)
	c := hookConfig(databaseURL)
	c.Roles = "ingest,api"
	taker := startServer(t, c)
	key := taker.makeProject(t)
	webhook, _ := taker.makeWebhook(t, `"url": "`+receiver.URL+`"`)
	taker.sendEvent(t, key)
	require.Len(t, taker.listDeliveries(t, webhook), 1)
	taker.stopServer(t)

	next := startServer(t, hookConfig(databaseURL))

	require.Equal(t, core.DeliveryDelivered, next.waitForDelivery(t, webhook, hasEnded).Status)
	require.Len(t, receiver.Received(), 1)
}
