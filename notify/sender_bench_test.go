package notify_test

import (
	"net/http"
	"testing"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
)

// BenchmarkSend makes one attempt after another at a fast receiver; a connection is made for each.
func BenchmarkSend(b *testing.B) {
	tls := notifytest.NewReceiver(b, notifytest.AnswerStatus(http.StatusOK))
	plain := notifytest.NewPlainReceiver(b, notifytest.AnswerStatus(http.StatusOK))
	for name, receiver := range map[string]*notifytest.Receiver{"TLS": tls, "plain": plain} {
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
