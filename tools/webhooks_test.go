package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

func TestDeleteWebhook(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin, webhook := core.NewBootstrapActor(), idOf(h.createWebhook(""))
	issue := h.addEvent("boom")
	h.changeRows(`UPDATE deliveries SET status = 'delivered', next_attempt_at = NULL WHERE issue_id = $1`, issue)
	pending := h.addEvent("bang")

	require.Empty(t, h.mustCall(admin, core.DeleteWebhook.Operation, idArgs(webhook)))

	require.Equal(t, []string{"delivered  null", "failed the webhook was deleted null"}, queryTexts(h,
		`SELECT status || ' ' || last_error || ' ' || coalesce(next_attempt_at::text, 'null') FROM deliveries ORDER BY id`), "issue %d", pending)
	require.Equal(t, []string{""}, queryTexts(h, `SELECT sealed FROM webhooks`), "its secrets are gone")
	require.Equal(t, []string{`{"url": "https://runner.example.com/hook", "name": "runner"}`},
		queryTexts(h, `SELECT data::text FROM activity WHERE action = 'webhook.delete' AND target_type = 'webhook'`))
	for _, op := range []*core.Operation{core.DeleteWebhook.Operation, core.TestWebhook.Operation, core.ListDeliveries.Operation} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(admin, op, idArgs(webhook)))
	}
	h.sameJSON(object{"data": []any{}}, h.mustCall(admin, core.ListWebhooks.Operation, `{}`))
	h.sameJSON(object{"data": []any{}}, h.mustCall(reader, core.ListAlerts.Operation, `{}`))
	require.Empty(t, h.eventsTold(h.addEvent("later")))
}

func TestTestWebhook(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	webhook := idOf(h.createWebhook(`"events": ["issue.new"], "spike_threshold": null`))

	added := h.callData(core.NewBootstrapActor(), core.TestWebhook.Operation, idArgs(webhook))

	h.sameJSON(object{"next_cursor": nil, "data": []any{object{
		"id": added["delivery_id"], "event": "ping", "issue_id": nil, "status": "pending", "attempts": 0, "last_status": nil, "last_error": nil,
		"created_at": noonText, "next_attempt_at": noonText, "delivered_at": nil,
	}}}, h.mustCall(core.NewBootstrapActor(), core.ListDeliveries.Operation, idArgs(webhook)))
	require.Contains(t, h.mustCall(reader, core.ListAlerts.Operation, `{}`), `"last_delivery_status":"pending"`)
}

func TestListDeliveries(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	webhook, other := idOf(h.createWebhook("")), idOf(h.createWebhook(""))
	var issues []int64
	for n := range 5 {
		issues = append([]int64{h.addEvent(fmt.Sprint("boom ", n))}, issues...)
		h.passTime(time.Second)
	}

	var listed []int64
	cursor := ""
	for range 3 {
		var page core.Page[core.Delivery]
		decodeInto(t, h.mustCall(core.NewBootstrapActor(), core.ListDeliveries.Operation,
			fmt.Sprintf(`{"id": %d, "limit": 2%s}`, webhook, cursor)), &page)
		for _, d := range page.Data {
			listed = append(listed, int64(d.IssueID))
		}
		cursor = fmt.Sprintf(`, "cursor": %q`, page.NextCursor)
		if len(listed) == 2 {
			h.mustRefuse(core.ListDeliveries.Operation, fmt.Sprintf(`{"id": %d%s}`, other, cursor), "cursor")
		}
	}

	require.Equal(t, issues, listed)
	for _, limit := range []int{0, 101} {
		h.mustRefuse(core.ListDeliveries.Operation, fmt.Sprintf(`{"id": %d, "limit": %d}`, webhook, limit), "limit")
	}
}

func TestResendDelivery(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin, webhook, other := core.NewBootstrapActor(), idOf(h.createWebhook("")), idOf(h.createWebhook(""))
	delivery := int64(h.callData(admin, core.TestWebhook.Operation, idArgs(webhook))["delivery_id"].(float64))
	h.sameJSON(object{"error": "delivery_pending"}, h.mustFail(admin, core.ResendDelivery.Operation, deliveryArgs(webhook, delivery)))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(admin, core.ResendDelivery.Operation, deliveryArgs(other, delivery)))
	h.changeRows(`UPDATE deliveries SET status = 'delivered', attempts = 2, last_status = 200, delivered_at = created_at,
		next_attempt_at = NULL`)
	h.passTime(time.Hour)
	now := core.At(h.now).Format(core.TimeLayout)

	resent := h.callData(admin, core.ResendDelivery.Operation, deliveryArgs(webhook, delivery))

	h.sameJSON(object{
		"id": delivery, "event": "ping", "issue_id": nil, "status": "pending", "attempts": 2, "last_status": 200, "last_error": nil,
		"created_at": noonText, "next_attempt_at": now, "delivered_at": nil,
	}, mustJSON(t, resent))
	h.mustCall(admin, core.DeleteWebhook.Operation, idArgs(webhook))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(admin, core.ResendDelivery.Operation, deliveryArgs(webhook, delivery)))
}

// A deleted project takes its webhooks with it, and deliveries about its issues cannot be sent again.
func TestWebhooksOfADeletedProject(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin, bound, everywhere := core.NewBootstrapActor(), idOf(h.createWebhook(`"project": "shop"`)), idOf(h.createWebhook(""))
	h.mustCall(admin, core.TestWebhook.Operation, idArgs(bound))
	issue := h.addEvent("boom")
	told := queryTexts(h, `SELECT id::text FROM deliveries WHERE issue_id = $1 AND webhook_id = $2`, issue, everywhere)
	require.Len(t, told, 1)
	h.changeRows(`UPDATE deliveries SET status = 'failed' WHERE issue_id = $1`, issue)

	h.mustCall(admin, core.DeleteProject.Operation, `{"project": "shop"}`)

	for _, op := range []*core.Operation{core.DeleteWebhook.Operation, core.TestWebhook.Operation, core.ListDeliveries.Operation} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(admin, op, idArgs(bound)))
	}
	h.sameJSON(object{"error": "not_found"}, h.mustFail(admin, core.ResendDelivery.Operation,
		fmt.Sprintf(`{"id": %d, "delivery_id": %s}`, everywhere, told[0])))
	var list core.Data[core.List[core.Webhook]]
	decodeInto(t, h.mustCall(admin, core.ListWebhooks.Operation, `{}`), &list)
	require.Len(t, list.Data, 1)
	require.Equal(t, everywhere, list.Data[0].ID)
	h.passTime(time.Hour)
	for done := false; !done; {
		var err error
		done, err = h.store.PurgeProject(t.Context(), shop)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"0 1"}, queryTexts(h, `SELECT (SELECT count(*) FROM deliveries) || ' ' || count(*) FROM webhooks`))
}

func TestOldDeliveriesAreDropped(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	kept, deleted := idOf(h.createWebhook("")), idOf(h.createWebhook(""))
	h.mustCall(core.NewBootstrapActor(), core.DeleteWebhook.Operation, idArgs(deleted))
	old, waiting := h.addEvent("old"), h.addEvent("waiting")
	h.changeRows(`UPDATE deliveries SET status = 'failed' WHERE issue_id = $1`, old)
	h.changeRows(`INSERT INTO spikes VALUES ($1, $2, $3, $4)`, shop, old, kept, h.now)
	h.changeRows(`INSERT INTO scm_issues VALUES ($1, $2, $3, 7), ($1, $2, $4, 8)`, shop, old, kept, deleted)
	h.passTime(30*day + time.Millisecond)
	recent := h.addEvent("recent")

	require.NoError(t, h.store.DropSent(t.Context()))

	require.Empty(t, h.eventsTold(old))
	require.Len(t, h.eventsTold(waiting), 1, "a pending one stays")
	require.Len(t, h.eventsTold(recent), 1)
	require.Equal(t, []string{fmt.Sprintf("{%d} {7} 0", kept)}, queryTexts(h, `
SELECT (SELECT array_agg(id) FROM webhooks)::text || ' ' || (SELECT array_agg(number) FROM scm_issues)::text || ' ' ||
	(SELECT count(*) FROM spikes)`))
}

// Two servers see each other's webhooks immediately.
func TestWebhooksOfTwoServers(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	first, second := openOn(t, pair[0], c), openOn(t, pair[1], c)
	webhook := idOf(first.createWebhook(""))

	told := second.addEvent("boom")
	second.mustCall(core.NewBootstrapActor(), core.DeleteWebhook.Operation, idArgs(webhook))
	untold := first.addEvent("bang")

	require.Equal(t, []string{"runner: issue.new"}, first.eventsTold(told))
	require.Empty(t, first.eventsTold(untold))
	first.sameJSON(object{"error": "not_found"}, first.mustFail(core.NewBootstrapActor(), core.DeleteWebhook.Operation, idArgs(webhook)))
}

func TestThereAreNotTooManyWebhooks(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.changeRows(`INSERT INTO webhooks (id, created_at, name, format, min_trust, events, url, created_by)
SELECT 1000 + n, $1, n, 'service', 'low', '{issue.new}', '', 'admin' FROM generate_series(1, 999) n`, h.now)
	h.createWebhook("")

	h.mustRefuse(core.CreateWebhook.Operation, webhookArgs(""), "")

	first, second := h.addEvent("boom"), h.addEvent("bang")
	require.Equal(t, []string{"1000 1000"}, queryTexts(h, `SELECT count(*) FILTER (WHERE issue_id = $1) || ' ' ||
		count(*) FILTER (WHERE issue_id = $2) FROM deliveries`, first, second))
}
