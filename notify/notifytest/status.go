package notifytest

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
)

// The statuses that a receiver can answer with.
const (
	firstStatus = 100
	lastStatus  = 599
)

// CheckStatuses sends a delivery of the format for every HTTP status that a receiver can answer with, and checks that the
// right ones count as delivered.
func CheckStatuses(t *testing.T, format notify.Format) {
	t.Helper()
	receiver := NewPlainReceiver(t, answerPath)
	sender := NewSender(nil, &Names{}, notify.AttemptTimeout)
	for status := firstStatus; status <= lastStatus; status++ {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			url := receiver.URL + "/" + strconv.Itoa(status) + "/secret-path"
			target := notify.Target{URL: core.Secret(url), Secret: "whsec_x", Token: "token-x"}

			outcome := sender.Send(t.Context(), format, NewExample(), target)

			want := status/100 == 2 && (!format.Only204 || status == http.StatusNoContent)
			require.Equal(t, want, outcome.Delivered)
			require.Equal(t, want, outcome.Error == "", outcome.Error)
			require.NotContains(t, outcome.Error, "secret-path")
			require.NotContains(t, outcome.Error, "token-x")
			if status != http.StatusSwitchingProtocols && status < 200 {
				require.Zero(t, outcome.Status, "it is not an answer yet")
				return
			}
			require.Equal(t, status, outcome.Status)
		})
	}
}

// answerPath answers with the status at the start of the path. After an informational one the connection ends.
func answerPath(w http.ResponseWriter, r *http.Request) {
	text, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	status, err := strconv.Atoi(text)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if status >= 200 {
		w.Header().Set("Location", "/200/redirected")
		w.WriteHeader(status)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	SayText("HTTP/1.1 " + text + " " + http.StatusText(status) + "\r\n\r\n")(conn)
	_ = conn.Close()
}
