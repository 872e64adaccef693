package triage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// Somebody asked for a missing record, unless it is missing in work that nobody waits for.
func TestMissingRecords(t *testing.T) {
	t.Parallel()
	for culprit, isBackground := range map[string]bool{
		"Sidekiq/PriceImport":               true,
		`App\Jobs\SendOrderMail`:            true,
		"com.shop.jobs.NightlyInvoices.run": true,
		"shop.tasks.send_invoice":           true,
		"OrderWorker#perform":               true,
		"PostImportJob":                     true,
		"cron":                              true,
		"":                                  false,
		"/jobs/{id}":                        false,
		"GET /tasks/:id":                    false,
		"https://shop.example/jobs":         false,
		"JobsController#show":               false,
		"billing.views.list_jobs":           false,
		"Orders.show":                       false,
		"jobless.Total":                     false,
		"shop.cart.total":                   false,
		"com.shop.web.TaskEndpoint.find":    false,
	} {
		t.Run(culprit, func(t *testing.T) {
			t.Parallel()
			for _, kind := range []string{"ActiveRecord::RecordNotFound", "javax.persistence.EntityNotFoundException", "CartNotFound"} {
				issue := issueOf("ruby", kind, "Couldn't find Cart with 'id'=4711")
				issue.Culprit = core.Untrusted(culprit)

				answer := JudgeIssue(issue, Crash{Site: App})

				require.Equal(t, isBackground, answer.AgentFixable, kind)
				require.Equal(t, isBackground, answer.Category == core.DataCategory, kind)
			}
			refused := issueOf("python", "PermissionDenied", "not yours")
			refused.Culprit = core.Untrusted(culprit)
			require.False(t, JudgeIssue(refused, Crash{Site: App}).AgentFixable, "only what is missing is different there")
		})
	}
}
