package app

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"

	"errand/brief"
	"errand/core"
	"errand/jobs"
	"errand/notify"
	"errand/notify/formats"
	"errand/notify/scmissue"
	"errand/notify/wake"
	"errand/store"
)

var errNoKeys = errors.New("ENCRYPTION_KEYS is not set on this server")

// startDeliveries has deliveries sent, by this server when it is a worker. All servers say to one another over NOTIFY that there
// are some. Sending begins to stop with ctx; saying so goes on as long as requests are answered.
func (a *App) startDeliveries(ctx context.Context, work *stops) error {
	wakeSender := func() {}
	var sender *jobs.Sender
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
		var sending sync.WaitGroup
		sending.Go(func() { sender.Run(ctx) })
		work.add("the deliveries", func(context.Context) error { sending.Wait(); return nil })
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

func (a *App) newSender() *jobs.Sender {
	return jobs.NewSender(jobs.SenderOptions{
		Store: a.db.Store, Log: a.log, Formats: a.listFormats(), BaseURL: a.URL,
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
		Observe:    jobs.SenderObserver{Attempt: a.metrics.countAttempt, Pending: a.metrics.setPending},
	})
}

// listFormats returns how deliveries of each format are sent. Mails are sent when there is a mail server.
func (a *App) listFormats() map[core.WebhookFormat]jobs.Format {
	sender := notify.NewSender(notify.SenderOptions{Guard: a.guard, Version: a.version})
	list := map[core.WebhookFormat]jobs.Format{}
	for _, name := range []core.WebhookFormat{
		core.FormatService, core.FormatSCMDispatch, core.FormatSCMIssue, core.FormatChatA, core.FormatChatB,
	} {
		form, err := formats.Find(name)
		if err != nil {
			continue // it is in the table: a test holds that each can be sent
		}
		list[name] = jobs.Format{
			Send: func(ctx context.Context, m *notify.Message, to notify.Target) notify.Outcome {
				return sender.Send(ctx, form.Request, m, to)
			},
			HasBrief: name == core.FormatService || name == core.FormatSCMDispatch || name == core.FormatSCMIssue,
		}
	}
	opener := list[core.FormatSCMIssue]
	opener.ReadNumber = scmissue.ReadNumber
	list[core.FormatSCMIssue] = opener
	if a.config.mailer != nil {
		list[core.FormatEmail] = jobs.Format{Send: func(ctx context.Context, m *notify.Message, to notify.Target) notify.Outcome {
			return a.config.mailer.Send(ctx, m, to.Recipients)
		}}
	}
	return list
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
