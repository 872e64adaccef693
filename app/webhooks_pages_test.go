package app_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/notify/notifytest"
	"errand/store/storetest"
)

// openHooks starts a server on a new database that may call receivers here, with the first site admin.
func openHooks(t *testing.T, change func(*app.Config)) (s *server, databaseURL string) {
	t.Helper()
	databaseURL = storetest.NewURL(t)
	c := hookConfig(databaseURL)
	c.PasswordParams = cheap
	if change != nil {
		change(&c)
	}
	s = startServer(t, c)
	got := s.newBrowser(t).signUp(s.SignUpLink.Reveal())
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	return s, databaseURL
}

var (
	webhookLink = regexp.MustCompile(`href="(/settings/webhooks/\d+)"`)
	resendForm  = regexp.MustCompile(`action="([^"]*)"><input type="hidden" name="delivery_id" value="(\d+)">`)
)

// TestWebhookByClicks makes a webhook whose receiver fails, tests it, sees why, and sends the delivery again when the receiver is well.
func TestWebhookByClicks(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(http.StatusInternalServerError)
	receiver := notifytest.NewPlainReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) })
	s, databaseURL := openHooks(t, nil)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/settings/webhooks").body, "Nobody is told yet")

	made := b.sendForm("/settings/webhooks/new", url.Values{"name": {hostileName}, "format": {"service"}, "url": {receiver.URL + "/hook"},
		"events": {"issue.new", "issue.spike"}, "spike_threshold": {"1000"}, "min_trust": {"low"}})

	secret := core.Secret(readMade(t, made))
	requireHarmless(t, made.body)
	list := b.get("/settings/webhooks").body
	require.NotContains(t, list, secret.Reveal())
	require.Contains(t, list, "a new issue, a spike: more than 1,000 events in an hour")
	requireHarmless(t, list)
	page := webhookLink.FindStringSubmatch(list)[1]

	failing := b.follow(page, "action", "test")

	require.Contains(t, failing, "The test did not arrive: answered 500 Internal Server Error.")
	require.Contains(t, failing, ">failing</span>")
	require.Contains(t, failing, "tried again in 1 min")
	require.Contains(t, b.get("/settings/webhooks").body, ">failing</span>", "the list says so too")
	require.NotContains(t, failing, secret.Reveal())
	_, err := openConnection(t, databaseURL).Exec(t.Context(),
		`UPDATE deliveries SET status = 'failed', attempts = 8, next_attempt_at = NULL`) // two days later
	require.NoError(t, err)
	status.Store(http.StatusAccepted)
	ended := b.get(page).body
	require.Contains(t, ended, ">failed</span>")
	form := resendForm.FindStringSubmatch(ended)
	require.NotNil(t, form, ended)
	require.Contains(t, b.follow(form[1], "action", "resend", "delivery_id", form[2]), "It is sent again.")
	require.Eventually(t, func() bool {
		part := b.get(page + "?fragment=deliveries").body
		return regexp.MustCompile(`>arrived</span>.*answered 202 Accepted`).MatchString(part)
	}, atMost, every)
	received := receiver.Received()
	requireSigned(t, secret, received[len(received)-1])

	require.Contains(t, b.follow(page, "action", "test"), "The test arrived: answered 202 Accepted.")
	require.Contains(t, b.get(page+"/secret").body, "The old secret does not come back.")
	fresh := core.Secret(readMade(t, b.post(page+"/secret")))
	require.NotEqual(t, secret, fresh)
	b.follow(page, "action", "test")
	received = receiver.Received()
	requireSigned(t, fresh, received[len(received)-1])
	for _, one := range []core.Secret{secret, fresh} {
		require.NotContains(t, b.get(page).body, one.Reveal())
		require.NotContains(t, s.log.String(), one.Reveal())
	}

	require.Contains(t, b.get(page+"/delete").body, "It cannot be undone.")
	require.Contains(t, b.follow(page+"/delete"), "The webhook is deleted.")
	require.Equal(t, http.StatusNotFound, b.get(page).status)
}

// TestWebhookUnderway tests a webhook whose receiver takes its time: until it has answered, nothing is said to have failed.
func TestWebhookUnderway(t *testing.T) {
	t.Parallel()
	arrived, mayAnswer := make(chan struct{}), make(chan struct{})
	letItAnswer := sync.OnceFunc(func() { close(mayAnswer) })
	defer letItAnswer()
	receiver := notifytest.NewPlainReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-mayAnswer
		w.WriteHeader(http.StatusAccepted)
	})
	s, _ := openHooks(t, nil)
	b := s.openAs(t, adminEmail)
	readMade(t, b.sendForm("/settings/webhooks/new", url.Values{"name": {"slow"}, "format": {"service"}, "url": {receiver.URL},
		"events": {"issue.new"}}))
	page := webhookLink.FindStringSubmatch(b.get("/settings/webhooks").body)[1]
	said := make(chan answer, 1)
	go func() { said <- b.post(page, "action", "test") }()
	<-arrived

	require.Contains(t, b.get(page+"?fragment=deliveries").body, ">on its way</span>")
	letItAnswer()

	require.Contains(t, b.get((<-said).header.Get("Location")).body, "The test arrived: answered 202 Accepted.")
}

// TestRefusedWebhooks sends forms that are refused: each error stands at its field, and what was typed stays, except secrets.
func TestRefusedWebhooks(t *testing.T) {
	t.Parallel()
	s, _ := openHooks(t, nil)
	b := s.openAs(t, adminEmail)
	const token, chat = "ghp_verysecret", "https://hooks.slack.example/services/T0/B0/verysecret"
	for _, c := range []struct {
		fields url.Values
		errors []string // the label of the field, and the error behind it
	}{
		{url.Values{"format": {"service"}, "name": {"runner"}, "events": {"issue.new"}}, []string{"URL", "is required for the format service"}},
		{url.Values{"format": {"service"}, "name": {"runner"}, "url": {"ftp://runner.example.com"}, "events": {"issue.new"}},
			[]string{"URL", "must"}},
		{url.Values{"format": {"service"}, "name": {"runner"}, "url": {"https://runner.example.com"}},
			[]string{"Is told of", "must have at least 1 item"}},
		{url.Values{"format": {"service"}, "name": {"runner"}, "url": {"https://runner.example.com"}, "events": {"issue.spike"},
			"spike_threshold": {"many"}}, []string{"hour than", "must be"}},
		{url.Values{"format": {"scm_issue"}, "name": {"runner"}, "url": {"https://git.example.com"}, "github_token": {token},
			"events": {"issue.new"}}, []string{"URL of the issues", "must"}},
		{url.Values{"format": {"chat_a"}, "name": {"runner"}, "url": {chat}, "events": {"issue.new"}}, []string{"Webhook URL", "must"}},
		{url.Values{"format": {"email"}, "name": {"runner"}, "to": {"not an address"}, "events": {"issue.new"}},
			[]string{"Addresses", "must be plain email addresses"}},
	} {
		got := b.sendForm("/settings/webhooks/new", c.fields)

		require.Equal(t, http.StatusUnprocessableEntity, got.status, got.body)
		require.Regexp(t, c.errors[0]+`.{0,40}<span class="wrong">[^<]*`+c.errors[1], html.UnescapeString(got.body), c.fields)
		require.Contains(t, got.body, `name="name" value="runner"`)
		require.NotContains(t, got.body, "verysecret")
		for _, event := range c.fields["events"] {
			require.Contains(t, got.body, `value="`+event+`" checked`)
		}
	}
	require.Contains(t, b.sendForm("/settings/webhooks/new", url.Values{"format": {"email"}, "name": {"ops"}, "to": {"ops@example.com"},
		"events": {"issue.new"}}).body, "mail", "no mail can be sent here")
}

// TestWebhooksOfTeams lets an admin of a team manage the webhooks of its project, and a viewer only see them.
func TestWebhooksOfTeams(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	s, databaseURL := openHooks(t, nil)
	s.makeProject(t)
	s.makeWebhook(t, `"url": "`+receiver.URL+`/all?key=url-secret"`)
	addMember(t, databaseURL, "team-admin@example.com", core.RoleAdmin)
	addMember(t, databaseURL, "viewer@example.com", core.RoleViewer)
	b := s.openAs(t, "team-admin@example.com")
	form := b.get("/settings/webhooks/new").body
	require.NotContains(t, form, "All projects")
	require.Contains(t, form, ">Web shop</option>")
	forAll := b.sendForm("/settings/webhooks/new", url.Values{"name": {"all"}, "url": {receiver.URL}, "events": {"issue.new"},
		"format": {"service"}})
	require.Equal(t, http.StatusForbidden, forAll.status)

	readMade(t, b.sendForm("/settings/webhooks/new", url.Values{"name": {"shop"}, "url": {receiver.URL}, "events": {"issue.new"},
		"format": {"service"}, "project": {"web-shop"}}))

	list := b.get("/settings/webhooks").body
	require.Len(t, webhookLink.FindAllString(list, -1), 1)
	own := webhookLink.FindStringSubmatch(list)[1]
	require.Equal(t, http.StatusOK, b.get(own).status)
	viewer := s.openAs(t, "viewer@example.com")
	seen := viewer.get("/settings/webhooks").body
	require.Contains(t, seen, "shop")
	require.NotContains(t, seen, "url-secret")
	require.NotRegexp(t, webhookLink, seen)
	require.Equal(t, http.StatusForbidden, viewer.get(own).status)
	all := s.openAs(t, adminEmail).get("/settings/webhooks").body
	require.Len(t, webhookLink.FindAllString(all, -1), 2)
}
