package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/notify"
	"errand/testkit/logtext"
)

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestCheckSignature(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	const body = `{"a":1}`
	right := notify.SignBody(secret, now, []byte(body))
	for name, test := range map[string]struct {
		header string
		body   string
		now    time.Time
		isGood bool
	}{
		"right":               {right, body, now, true},
		"nearly too old":      {right, body, now.Add(signatureAge), true},
		"too old":             {right, body, now.Add(signatureAge + time.Second), false},
		"from the future":     {right, body, now.Add(-signatureAge - time.Second), false},
		"of another body":     {right, `{"a":2}`, now, false},
		"of another secret":   {notify.SignBody("whsec_other", now, []byte(body)), body, now, false},
		"another time":        {strings.Replace(right, "t=17", "t=18", 1), body, now, false},
		"missing":             {"", body, now, false},
		"without a signature": {"t=1700000000", body, now, false},
		"empty signature":     {"t=1700000000,v1=", body, now, false},
		"not hex":             {"t=1700000000,v1=zz", body, now, false},
		"cut":                 {right[:len(right)-2], body, now, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkSignature(test.header, secret, []byte(test.body), test.now)
			require.Equal(t, test.isGood, err == nil)
		})
	}
}

func TestDeliveriesThatStartNoWork(t *testing.T) {
	t.Parallel()
	r := startRunner(t, usualConfig(t, "http://127.0.0.1:1", "false"))
	for name, test := range map[string]struct {
		body, signature string
		status          int
		says            string
	}{
		"a ping":         {deliverySaying(1, "ping", 0, ""), "", 200, "pong"},
		"another event":  {deliverySaying(2, "issue.verified", 1, "high"), "", 200, "ignored: this event starts no work"},
		"low trust":      {deliverySaying(3, "issue.new", 1, "low"), "", 200, "ignored: anybody can send events to this project"},
		"unsigned":       {deliverySaying(4, "issue.new", 1, "high"), "t=1,v1=00", 401, "the signature is missing, wrong or too old"},
		"not JSON":       {"{", "", 400, "the body is not the JSON of a delivery"},
		"no issue":       {`{"delivery_id":5,"event":"issue.new"}`, "", 400, "the body is not a delivery of the format service"},
		"without an id":  {`{"event":"ping"}`, "", 400, "the body is not a delivery of the format service"},
		"too large":      {strings.Repeat(" ", maxBody+1), "", 413, "the body cannot be read, or is too large"},
		"a large number": {`{"event":"ping","delivery_id":1e99}`, "", 400, "the body is not the JSON of a delivery"},
	} {
		t.Run(name, func(t *testing.T) {
			signature := test.signature
			if signature == "" {
				signature = notify.SignBody(secret, time.Now(), []byte(test.body))
			}

			status, text := r.deliverSigned(t, test.body, signature)

			require.Equal(t, test.status, status)
			require.Equal(t, test.says, text)
		})
	}
	entries, err := os.ReadDir(r.config.folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// While no place is free, deliveries are refused and not stored: Errand sends them again.
func TestDeliveriesWaitForAPlace(t *testing.T) {
	t.Parallel()
	c := usualConfig(t, "http://127.0.0.1:1", "false") // Errand is away, so nothing gets done
	r := startRunner(t, c)
	taken, refused := 0, 0
	for id := int64(1); id <= 5; id++ {
		status, _ := r.deliver(t, deliverySaying(id, "issue.new", id, "high"))
		if status == 202 {
			taken++
		} else {
			require.Equal(t, 503, status)
			require.False(t, r.inbox.knowsDelivery(id))
			refused++
		}
	}
	require.GreaterOrEqual(t, refused, 2)
	require.GreaterOrEqual(t, taken, c.parallel+c.waiting)

	status, text := r.deliver(t, deliverySaying(1, "issue.new", 1, "high"))

	require.Equal(t, 200, status)
	require.Equal(t, "ignored: it came before", text)
}

func TestReadConfig(t *testing.T) {
	t.Parallel()
	full := map[string]string{"ERRAND_URL": "https://errand.example/", "ERRAND_TOKEN": "ck_1", "ERRAND_WEBHOOK_SECRET": "whsec_1"}
	args := []string{"-events", "issue.spike", "--", "agent", "-p", "fix it"}
	c, err := readConfig(args, func(n string) string { return full[n] }, &logtext.Text{})
	require.NoError(t, err)
	require.Equal(t, []string{"agent", "-p", "fix it"}, c.command)
	require.Equal(t, "https://errand.example", c.errandURL)
	for names, args := range map[string][]string{
		"ERRAND_URL": {"--", "agent"}, "after --": {}, "-events": {"-events", "ping", "--", "agent"},
		"-parallel": {"-parallel", "0", "--", "agent"}, "-tls-key": {"-tls-cert", "x", "--", "agent"},
	} {
		t.Run(names, func(t *testing.T) {
			t.Parallel()
			_, err := readConfig(args, func(n string) string {
				if n == names {
					return "errand.example"
				}
				return full[n]
			}, &logtext.Text{})
			require.ErrorContains(t, err, names)
		})
	}
}
