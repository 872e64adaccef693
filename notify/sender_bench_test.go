package notify_test

import (
	"net/http"
	"testing"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
)

// BenchmarkSend makes attempts one after the other, at a fast receiver over kept connections, and at one that closes them.
func BenchmarkSend(b *testing.B) {
	closes := func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }
	for name, receiver := range map[string]*notifytest.Receiver{
		"TLS kept":    notifytest.NewReceiver(b, notifytest.AnswerStatus(http.StatusOK)),
		"TLS closed":  notifytest.NewReceiver(b, closes),
		"plain, kept": notifytest.NewPlainReceiver(b, notifytest.AnswerStatus(http.StatusOK)),
	} {
		b.Run(name, func(b *testing.B) {
			sender := notifytest.NewSender(receiver.Trust, &notifytest.Names{}, notify.AttemptTimeout)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					outcome := sender.Send(b.Context(), small, notifytest.NewExample(), notify.Target{URL: core.Secret(receiver.URL)})
					if !outcome.Delivered {
						b.Error(outcome.Error)
						return
					}
				}
			})
		})
	}
}
