package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"errand/core"
)

// The actions of the forms on the page of a webhook.
const (
	testAction   = "test"
	resendAction = "resend"
)

// deliveriesPart is the live part with the deliveries.
const deliveriesPart = "deliveries"

// webhookForm is the page of a webhook: what it does, and what became of its deliveries.
type webhookForm struct {
	Tabs       tabs
	Made       *madeSecret
	Path       string
	Row        webhookRow
	By         any
	At         moment
	IsSigned   bool
	SecretPath string
	DeletePath string

	LivePath   string // empty on later pages
	Deliveries []deliveryRow
	Pager      pager
}

// deliveryRow is a delivery in words.
type deliveryRow struct {
	ID     int64
	What   string
	Issue  string // path of the issue; empty for a test
	State  badge
	Answer any
	Next   string
	At     moment
	IsOver bool // it can be sent again
}

// isSigned reports whether the deliveries of a format are signed with a secret.
func isSigned(format core.WebhookFormat) bool {
	return format == core.FormatService || format == core.FormatSCMDispatch
}

// showWebhook is the page of a webhook.
func (s *Site) showWebhook(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	return v.answerWebhook(id, nil)
}

// answerWebhook shows the page of a webhook, once with a secret that was just made.
func (v *visit) answerWebhook(id int64, made *madeSecret) error {
	cursor := v.r.URL.Query().Get("cursor")
	args := map[string]any{"id": id, "limit": 25}
	if cursor != "" {
		args["cursor"] = cursor
	}
	var w *core.Webhook
	var deliveries core.Page[core.Delivery]
	var projects core.Data[core.List[core.ListedProject]]
	err := runTogether(
		func() (err error) { w, err = v.findWebhook(id); return err },
		func() (err error) { deliveries, err = callOperation(v, core.ListDeliveries, args); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
	)
	if err != nil {
		return err
	}
	path := addressOfWebhook(id, "")
	form := webhookForm{
		Tabs: v.settingsTabs(), Made: made, Path: path, By: w.CreatedBy, At: v.at(w.CreatedAt), IsSigned: isSigned(w.Format),
		Row:        makeWebhookRow(w.Name, describeTarget(w), &w.WebhookTerms, projects.Data),
		SecretPath: addressOfWebhook(id, "/secret"), DeletePath: addressOfWebhook(id, "/delete"),
		Pager: pager{Shown: writePlural(len(deliveries.Data), "delivery", "deliveries"), State: "those that have ended are kept for 30 days",
			OlderText: "Older"},
	}
	if cursor == "" {
		form.LivePath = addressOf(path, fragmentField, deliveriesPart)
	} else {
		form.Pager.First = path
	}
	if deliveries.NextCursor != "" {
		form.Pager.Older = addressOf(path, "cursor", string(deliveries.NextCursor))
	}
	for i := range deliveries.Data {
		form.Deliveries = append(form.Deliveries, v.makeDeliveryRow(&deliveries.Data[i]))
	}
	return v.show("webhook", plainText(w.Name), form)
}

// findWebhook returns a webhook that the person manages, or not_found.
func (v *visit) findWebhook(id int64) (*core.Webhook, error) {
	webhooks, err := callOperation(v, core.ListWebhooks, nil)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(webhooks.Data, func(w core.Webhook) bool { return w.ID == id })
	if i < 0 {
		return nil, core.NewError(core.NotFound)
	}
	return &webhooks.Data[i], nil
}

func (v *visit) makeDeliveryRow(d *core.Delivery) deliveryRow {
	row := deliveryRow{
		ID: d.ID, What: eventTexts[d.Event], State: lastBadge(&d.Status), Answer: describeAnswer(d), At: v.at(d.CreatedAt),
		IsOver: d.Status != core.DeliveryPending,
	}
	if d.IssueID != 0 {
		row.Issue = issueAddress{int64(d.IssueID), nil}.path("")
	}
	if d.HasFailed() {
		row.State = badge{kindBad, "failing"}
		row.Next = "tried again in " + writeMinutes(max(1, int64(d.NextAttemptAt.Sub(v.now).Round(time.Minute)/time.Minute)))
	}
	if d.Attempts > 1 {
		row.Next = joinWords(fmt.Sprintf("%d attempts", d.Attempts), row.Next)
	}
	return row
}

func joinWords(first, second string) string {
	if second == "" {
		return first
	}
	return first + ", " + second
}

// describeAnswer says what the receiver answered last.
func describeAnswer(d *core.Delivery) string {
	switch {
	case d.LastError != "" && d.LastError != core.AttemptUnderway:
		return string(d.LastError)
	case d.LastStatus != 0:
		return "answered " + strconv.FormatInt(int64(d.LastStatus), 10) + " " + http.StatusText(int(d.LastStatus))
	case d.Status == core.DeliveryDelivered:
		return "taken"
	}
	return "no answer yet"
}

// takeWebhook tests the webhook, or sends a delivery again.
func (s *Site) takeWebhook(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	path := addressOfWebhook(id, "")
	switch v.r.PostForm.Get(actionField) {
	case testAction:
		return v.takeTest(id, path)
	case resendAction:
		delivery, err := strconv.ParseInt(v.r.PostForm.Get("delivery_id"), 10, 64)
		if err != nil {
			return core.NewError(core.NotFound)
		}
		return v.act(core.ResendDelivery.Operation, map[string]any{"id": id, "delivery_id": delivery}, path,
			flash{Text: "It is sent again."})
	}
	return core.RefuseField(actionField, "must be test or resend")
}

// How long the page waits for the answer to a test before it says that there is none yet.
const (
	testAtMost = 3 * time.Second
	testEvery  = 100 * time.Millisecond
)

// takeTest tests a webhook, and says what was answered.
func (v *visit) takeTest(id int64, path string) error {
	added, err := callOperation(v, core.TestWebhook, map[string]any{"id": id})
	if err != nil {
		return err
	}
	ticker, end := time.NewTicker(testEvery), time.After(testAtMost)
	defer ticker.Stop()
	for {
		select {
		case <-v.r.Context().Done():
			return v.r.Context().Err()
		case <-end:
			return v.redirectWith(path, flash{Kind: kindWarn, Text: "The test is on its way, and nobody has answered yet."})
		case <-ticker.C:
		}
		recent, err := callOperation(v, core.ListDeliveries, map[string]any{"id": id, "limit": 25})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(recent.Data, func(d core.Delivery) bool { return d.ID == added.Data.DeliveryID })
		if i < 0 {
			continue
		}
		d := &recent.Data[i]
		if d.Status == core.DeliveryPending && !d.HasFailed() {
			continue
		}
		if d.Status != core.DeliveryDelivered {
			return v.redirectWith(path, flash{Kind: kindBad, Text: "The test did not arrive: " + describeAnswer(d) + "."})
		}
		return v.redirectWith(path, flash{Text: "The test arrived: " + describeAnswer(d) + "."})
	}
}

// showWebhookSecret asks before the secret is replaced. A webhook whose deliveries are not signed has none.
func (s *Site) showWebhookSecret(v *visit) error {
	w, err := v.readWebhook()
	if err != nil {
		return err
	}
	if !isSigned(w.Format) {
		return core.NewError(core.NotFound)
	}
	return v.askAboutWebhook(w, irrevocable{
		Title: "Replace the secret of " + w.Name + "?", Button: "Replace the secret", Path: addressOfWebhook(w.ID, "/secret"),
		Says: []string{"Every delivery from now on is signed with a new secret, which is shown once. A receiver that still has the old one " +
			"refuses them until it has the new one; what it refuses is tried again for two days.", "The old secret does not come back."},
	})
}

// showWebhookDelete asks before a webhook is deleted.
func (s *Site) showWebhookDelete(v *visit) error {
	w, err := v.readWebhook()
	if err != nil {
		return err
	}
	return v.askAboutWebhook(w, irrevocable{
		Title: "Delete " + w.Name + "?", Button: "Delete the webhook", Path: addressOfWebhook(w.ID, "/delete"),
		Says: []string{"Its receiver is told nothing any more, and deliveries that wait are given up. Its secrets and the list of its " +
			"deliveries go.", "It cannot be undone."},
	})
}

// readWebhook returns the webhook that the path names.
func (v *visit) readWebhook() (*core.Webhook, error) {
	id, err := v.readID()
	if err != nil {
		return nil, err
	}
	return v.findWebhook(id)
}

// askAboutWebhook shows a page that asks about a webhook.
func (v *visit) askAboutWebhook(w *core.Webhook, asked irrevocable) error {
	asked.Tabs, asked.Back, asked.BackName = v.settingsTabs(), addressOfWebhook(w.ID, ""), "Back to the webhook"
	asked.Keep = "Leave it as it is"
	return v.showIrrevocable(asked)
}

// takeWebhookSecret replaces the secret and shows the new one.
func (s *Site) takeWebhookSecret(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	made, err := callOperation(v, core.RotateWebhookSecret, map[string]any{"id": id})
	if err != nil {
		return v.sayDone(core.Answer{}, err, addressOfWebhook(id, ""), flash{})
	}
	return v.answerWebhook(id, describeSecret(&made.Data))
}

// takeWebhookDelete deletes a webhook.
func (s *Site) takeWebhookDelete(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	return v.act(core.DeleteWebhook.Operation, map[string]any{"id": id}, webhooksPath, flash{Text: "The webhook is deleted."})
}
