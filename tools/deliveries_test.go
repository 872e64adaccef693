package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
)

// fromBrowser makes the event one from a web page.
func fromBrowser(e *intake.NewEvent) { e.Source = core.SourceBrowser }

func TestWhoIsToldOfANewIssue(t *testing.T) {
	t.Parallel()
	const other = shop + 1
	trusted := []string{"all high: issue.new", "all low: issue.new", "shop high: issue.new"}
	for name, test := range map[string]struct {
		change  string // to the project, beforehand
		browser bool   // the event comes from a web page
		want    []string
	}{
		"a trusted project":               {"", false, trusted},
		"a project of web pages":          {"", true, []string{"all low: issue.new"}},
		"web pages that are trusted":      {"trust_setting = 'high'", true, trusted},
		"a project that is not trusted":   {"trust_setting = 'low'", false, []string{"all low: issue.new"}},
		"a project that is being deleted": {"deleted_at = '2026-03-14'", false, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openShop(t)
			h.addListener(1, "all high", core.TrustHigh, 0)
			h.addListener(2, "all low", core.TrustLow, 0)
			h.addListener(3, "shop high", core.TrustHigh, shop)
			h.addListener(4, "other", core.TrustLow, other)
			h.addListener(5, "deleted", core.TrustLow, 0)
			h.changeRows(`UPDATE webhooks SET deleted_at = created_at WHERE id = 5`)
			h.addListener(6, "fixes only", core.TrustLow, 0)
			h.changeRows(`UPDATE webhooks SET events = '{issue.verified}' WHERE id = 6`)
			if test.change != "" {
				h.changeRows(`UPDATE projects SET ` + test.change)
			}
			var changes []func(*intake.NewEvent)
			if test.browser {
				changes = append(changes, fromBrowser)
			}

			issue := h.addEvent("boom", changes...)
			h.addEvent("boom", changes...)

			require.Equal(t, test.want, h.eventsTold(issue))
		})
	}
}

// A project's trust is its trust at the time of the change: 30 days after the last event from a web page it is high again.
func TestTrustOfDeliveriesIsThatOfNow(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.addListener(1, "high", core.TrustHigh, 0)
	h.addEvent("page", fromBrowser)

	before := h.addEvent("before")
	h.passTime(30*day + time.Hour)
	after := h.addEvent("after")

	require.Empty(t, h.eventsTold(before))
	require.Equal(t, []string{"high: issue.new"}, h.eventsTold(after))
}

func TestAResolveThatIsUndoneIsTold(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.addListener(1, "agent", core.TrustHigh, 0)
	issue := h.addEvent("boom")
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(issue))
	h.passTime(time.Minute)

	h.addEvent("boom")
	h.addEvent("boom")

	require.Equal(t, []string{"agent: issue.new", "agent: issue.regressed"}, h.eventsTold(issue))
}

// Events of the demo project never happened: only its own webhooks report them.
func TestDemoIsToldToItsOwnWebhooks(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.changeRows(`UPDATE projects SET demo = true`)
	h.addListener(1, "all", core.TrustLow, 0)
	h.addListener(2, "demo", core.TrustLow, shop)
	h.changeRows(`UPDATE webhooks SET events = events || '{issue.spike}', spike_threshold = 1`)

	issue := h.addEvent("boom")
	h.addEvent("boom")

	require.Equal(t, []string{"demo: issue.new", "demo: issue.spike"}, h.eventsTold(issue))
}

// One batch makes many issues, with a delivery for each issue and each webhook.
func TestDeliveriesOfABatch(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.addListener(1, "one", core.TrustHigh, 0)
	h.addListener(2, "two", core.TrustHigh, 0)
	events := []intake.NewEvent{h.newEvent("a", 1), h.newEvent("b", 1), h.newEvent("a", 2), h.newEvent("c", 1)}

	h.addEvents(events...)
	h.addEvents(events...) // an SDK repeats them because it did not get the answer

	require.Equal(t, []string{"3 issues, 6 deliveries, 6 ids"}, queryTexts(h, `
SELECT count(DISTINCT issue_id) || ' issues, ' || count(*) || ' deliveries, ' || count(DISTINCT id) || ' ids' FROM deliveries`))
}
