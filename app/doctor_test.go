package app_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/notify/notifytest"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// examine returns the worst finding about each part of an installation.
func examine(t *testing.T, c app.Config) map[string]core.Finding {
	t.Helper()
	list, err := app.ExamineInstallation(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	rank := []core.Verdict{core.VerdictOK, core.VerdictWarn, core.VerdictFail}
	found := map[string]core.Finding{}
	for _, finding := range list {
		require.Contains(t, rank, finding.Verdict)
		require.NotEmpty(t, finding.Text)
		require.Equal(t, finding.Verdict == "ok", finding.Advice == "", "%+v: what is wrong has an advice", finding)
		if before, ok := found[finding.About]; !ok || slices.Index(rank, before.Verdict) < slices.Index(rank, finding.Verdict) {
			found[finding.About] = finding
		}
	}
	return found
}

func TestDoctorOfAHealthyInstallation(t *testing.T) {
	t.Parallel()
	mails := notifytest.NewMailServer(t, notifytest.MailOptions{NoSTARTTLS: true})
	c := hookConfig(storetest.NewURL(t))
	c.Blobs = core.Secret("file://" + t.TempDir())
	c.SMTPURL, c.EmailFrom = mails.URL(), "errand@example.com"
	s := startServer(t, c)
	storetest.SaveSettings(t, storetest.Open(t, c.DatabaseURL.Reveal(), storetest.NewClock().Tell), map[string]string{"BASE_URL": s.URL()})
	s.makeProject(t)
	var found map[string]core.Finding
	require.Eventually(t, func() bool {
		found = examine(t, c)
		return found["jobs"].Verdict == "ok"
	}, atMost, every, "the jobs run")

	for _, about := range []string{"database", "clock", "source maps", "address", "jobs", "webhooks", "mail"} {
		require.EqualValues(t, "ok", found[about].Verdict, "%+v", found[about])
	}
	require.EqualValues(t, "warn", found["backup"].Verdict)
	require.Empty(t, mails.Mails())
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	nobody := "127.0.0.1:1"
	c := hookConfig(storetest.NewURL(t))
	c.Blobs = core.Secret("s3://key:the-secret@bucket?endpoint=http://" + nobody + "&region=eu-1")
	c.SMTPURL, c.EmailFrom = core.Secret("smtp://user:the-password@"+nobody), "errand@example.com"
	s := storetest.Open(t, c.DatabaseURL.Reveal(), storetest.NewClock().Tell)
	storetest.SaveSettings(t, s, map[string]string{"BASE_URL": "http://" + nobody, "OUTGOING": "off"})

	found := examine(t, c)

	for about, text := range map[string]string{"source maps": "cannot be reached", "address": "refused", "mail": "mail server"} {
		require.EqualValues(t, "fail", found[about].Verdict, about)
		require.Contains(t, found[about].Text, text)
	}
	require.Contains(t, found["webhooks"].Text, "OUTGOING is off")
	require.Contains(t, found["jobs"].Text, "no background job")
	for _, finding := range found {
		require.NotContains(t, finding.Text+string(finding.Advice), "the-secret")
		require.NotContains(t, finding.Text+string(finding.Advice), "the-password")
	}
}

// TestDoctorWithoutBaseURL looks at an installation without BASE_URL whose server does not run: no address is wrong.
func TestDoctorWithoutBaseURL(t *testing.T) {
	t.Parallel()
	c := hookConfig(storetest.NewURL(t))
	c.Addr = "127.0.0.1:1"
	found := examine(t, c)
	require.EqualValues(t, "warn", found["address"].Verdict)
	require.Contains(t, found["address"].Text, "BASE_URL is not set")
}

// TestDoctorNamesWebhooksThatFail has a webhook whose receiver refuses each attempt.
func TestDoctorNamesWebhooksThatFail(t *testing.T) {
	t.Parallel()
	c := hookConfig(storetest.NewURL(t))
	s := startServer(t, c)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer receiver.Close()
	s.makeWebhook(t, `"url": "`+receiver.URL+`"`)
	s.sendMessage(t, s.makeProject(t), "boom")

	require.Eventually(t, func() bool {
		return strings.Contains(examine(t, c)["webhooks"].Text, "has not arrived yet; attempts that failed: 1")
	}, atMost, every)
}

func TestDoctorComparesMemoryWithData(t *testing.T) {
	t.Parallel()
	const memory = 32 << 20
	require.EqualValues(t, "ok", app.JudgeMemory(1<<30, memory).Verdict)
	little := app.JudgeMemory(1<<30+1, memory)
	require.EqualValues(t, "warn", little.Verdict)
	require.Contains(t, little.Advice, "POSTGRES_MEMORY=64MB")
	require.Contains(t, app.JudgeMemory(20<<30, 256<<20).Advice, "POSTGRES_MEMORY=1024MB")
	require.EqualValues(t, "ok", app.JudgeMemory(20<<30, 1024<<20).Verdict)
}
