package app

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"

	"errand/brief"
	"errand/core"
	"errand/notify"
	"errand/notify/formats"
	"errand/notify/sending"
	"errand/notify/wake"
	"errand/store"
)

var errNoKeys = errors.New("ENCRYPTION_KEYS is not set on this server")

// startDeliveries starts sending deliveries, if this server is a worker. All servers notify each other of deliveries
// over NOTIFY. Sending begins to stop with ctx; notifications continue as long as requests are answered.
func (a *App) startDeliveries(ctx context.Context, work *stops) error {
	wakeSender := func() {}
	var sender *sending.Loop
	if a.config.hasRole(roleWorker) {
		sender = a.newSender()
		wakeSender = sender.Wake
	}
	ring := func(int64) {}
	if a.config.Notify != "" {
		options := wake.Options{URL: a.config.Notify, Name: a.nameAtNATS(), Log: a.log}
		if sender != nil {
			options.Woken = wakeSender
		}
		bell, err := wake.Connect(options)
		if err != nil {
			return err
		}
		work.add("the connection to NATS", func(context.Context) error { bell.Close(); return nil })
		ring = bell.Ring
	}
	a.db.OnDeliveries(func(made int64) {
		wakeSender()
		ring(made)
	})
	if sender != nil {
		var running sync.WaitGroup
		running.Go(func() { sender.Run(ctx) })
		work.add("the deliveries", func(context.Context) error { running.Wait(); return nil })
	}
	return nil
}

func (a *App) nameAtNATS() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return "errand at " + host + ", " + a.config.Addr
}

func (a *App) newSender() *sending.Loop {
	return sending.New(sending.Options{
		Store: a.db.Store, Log: a.log, Ways: a.listWays(), BaseURL: a.URL,
		IsHeld: func() bool { return a.db.Settings().HoldsOutgoing },
		OpenTarget: func(w store.DueWebhook) (notify.Target, error) {
			form, err := formats.Find(w.Format)
			if err != nil || w.Sealed == "" {
				return notify.Target{URL: core.Secret(w.URL)}, err
			}
			if a.keys == nil {
				return notify.Target{}, errNoKeys
			}
			return form.OpenTarget(a.keys, w.ID, w.URL, w.Sealed)
		},
		BuildBrief: a.buildBrief,
		Observe:    sending.Observer{Attempt: a.metrics.countAttempt, Pending: a.metrics.setPending},
	})
}

// listWays returns how to send deliveries of each format. Mails need a mail server.
func (a *App) listWays() map[core.WebhookFormat]sending.Way {
	sender := notify.NewSender(notify.SenderOptions{Guard: a.guard, Version: a.version})
	ways := map[core.WebhookFormat]sending.Way{}
	for name, form := range formats.List() {
		way := sending.Way{Form: form, Send: func(ctx context.Context, m *notify.Message, to notify.Target) notify.Outcome {
			return sender.Send(ctx, form.Request, m, to)
		}}
		if form.Request.NewRequest == nil {
			if a.config.mailer == nil {
				continue
			}
			way.Send = func(ctx context.Context, m *notify.Message, to notify.Target) notify.Outcome {
				return a.config.mailer.Send(ctx, m, to.Recipients)
			}
		}
		ways[name] = way
	}
	return ways
}

// buildBrief builds the brief of a delivery for any agent that may claim the issue.
func (a *App) buildBrief(ctx context.Context, issue int64) (*notify.Issue, *notify.Brief, error) {
	reader := brief.RunnerActor()
	known, err := brief.GatherFacts(ctx, a.db.Store, issue, reader)
	if err != nil {
		return nil, nil, err
	}
	built, err := brief.RenderFacts(known, a.db.Store.Now(), brief.Options{Reader: reader, AnyOne: true, Random: rand.Reader})
	if err != nil {
		return nil, nil, err
	}
	facts, err := notify.EncodeJSON(built.JSON)
	if err != nil {
		return nil, nil, err
	}
	return notify.DescribeIssue(&known.Issue), &notify.Brief{Version: built.Version, Markdown: built.Markdown, JSON: facts}, nil
}
