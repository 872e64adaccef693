package scrub

import (
	"fmt"
	"testing"

	"errand/core"

	"github.com/stretchr/testify/require"
)

// objectOf makes an object from alternating keys and texts.
func objectOf(pairs ...string) core.Value {
	v := core.Value{Kind: core.Object}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Kids = append(v.Kids, core.Member{Key: pairs[i], Value: core.StringValue(pairs[i+1])})
	}
	return v
}

// typicalEvent is similar to the events of a Python SDK: about 7 KB, 280 texts, 130 keys, a few secrets in the usual places.
func typicalEvent() *core.Event {
	e := &core.Event{
		EventID: "4f1c9f0a2b3c4d5e8f90a1b2c3d4e5f6", Platform: "python", Level: "error", Logger: "shop.checkout",
		Transaction: "/api/v2/checkout/<int:order_id>/", Release: "shop@2026.11.3+f3a9c1d", Environment: "production",
		ServerName: "web-7f9c-x2lq",
		Exceptions: []core.Exception{{
			Type: "ValueError", Value: "could not convert string to float: '12,50' (order 88213, line 3)", Module: "builtins",
			Mechanism: &core.Mechanism{Type: "django"},
		}},
		User: objectOf("id", "48213", "email", "jane.doe@example.com", "username", "janed", "ip_address", "203.0.113.77"),
		Request: &core.Request{
			Method: "POST", URL: "https://shop.example.com/api/v2/checkout/88213/",
			Query: objectOf("page", "3", "sort", "-created_at", "q", "garden chair"),
			Headers: objectOf("Host", "shop.example.com", "User-Agent",
				"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
				"Accept", "application/json, text/plain, */*", "Accept-Encoding", "gzip, deflate, br", "Accept-Language", "en-GB,en;q=0.9,de;q=0.8",
				"Content-Length", "148", "Content-Type", "application/json", "Cookie", "sessionid=x8s7df6g5h4j3k2l; csrftoken=ab12cd34ef56",
				"Origin", "https://shop.example.com", "Referer", "https://shop.example.com/basket?step=2&ref=mail",
				"X-Forwarded-For", "203.0.113.77, 10.0.0.4", "X-Request-Id", "0f8fad5b-d9cb-469f-a165-70867728950e"),
			Cookies: objectOf("sessionid", "x8s7df6g5h4j3k2l", "csrftoken", "ab12cd34ef56", "theme", "dark"),
			Data:    objectOf("quantity", "2", "price", "12,50", "password", "correct horse", "note", "please ring twice"),
		},
		Tags: objectOf("browser", "Chrome 126.0", "os.name", "Linux", "runtime", "CPython 3.12.4", "handled", "no", "region", "eu-central-1"),
		Contexts: core.Value{Kind: core.Object, Kids: []core.Member{
			{Key: "runtime", Value: objectOf("name", "CPython", "version", "3.12.4", "build", "3.12.4 (main, Jun  8 2024, 18:29:57) [GCC 11.4.0]")},
			{Key: "trace", Value: objectOf("trace_id", "771a43a4192642f0b136d5159a501700", "span_id", "8c931f4740435fb8", "op",
				"http.server", "status", "internal_error")},
			{Key: "os", Value: objectOf("name", "Linux", "version", "6.1.0-21-amd64", "kernel_version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.90-1")},
		}},
		Extra: objectOf("sys.argv", "manage.py runserver 0.0.0.0:8000", "order_total", "1250.00", "retry", "0"),
		SDK:   core.SDK{Name: "sentry.python.django", Version: "2.68.0"},
	}
	for i := range 4 {
		e.Exceptions[0].Frames = append(e.Exceptions[0].Frames, core.Frame{
			Function: core.Untrusted(fmt.Sprintf("handle_step_%d", i)), Module: "shop.checkout.views", Filename: "shop/checkout/views.py",
			AbsPath: "/srv/app/releases/20261103/shop/checkout/views.py", Lineno: core.OptInt(40 + i), InApp: true,
			ContextLine: "        total = sum(float(line[\"price\"]) for line in order.lines)",
			PreContext: []core.Untrusted{"    def handle(self, order):", "        if order is None:",
				"            raise Http404(\"no such order\")", "", "        # prices are text here"},
			PostContext: []core.Untrusted{"        return JsonResponse({\"total\": total, \"id\": order.pk})", "",
				"    def get_queryset(self):", "        return Order.objects.filter(user=self.request.user)", ""},
			Vars: objectOf("self", "<shop.checkout.views.CheckoutView object at 0x7f3a5c0d9e50>", "order", "<Order: 88213>", "line",
				"{'sku': 'A-100', 'price': '12,50'}", "total", "0", "request", "<WSGIRequest: POST '/api/v2/checkout/88213/'>"),
		})
	}
	for i := range 6 {
		e.Breadcrumbs = append(e.Breadcrumbs, core.Breadcrumb{
			Type: "http", Category: "httplib", Level: "info",
			Message: core.Untrusted(fmt.Sprintf("SELECT id, total FROM orders WHERE id = %d LIMIT 1", 88200+i)),
			Data:    objectOf("url", "https://api.example.com/v1/stock/A-100", "method", "GET", "status_code", "200"),
		})
	}
	return e
}

func benchmarkEvent(b *testing.B, r *Rules) {
	e := typicalEvent()
	b.SetBytes(int64(len(e.AppendJSON(nil))))
	b.ReportAllocs()
	for b.Loop() {
		restoreTexts(e)
		r.ScrubEvent(e)
	}
}

// restoreTexts puts back the secrets of the typical event. All are in its request.
func restoreTexts(e *core.Event) {
	const cookie, password = 7, 2
	e.Request.Headers.Kids[cookie].Value = core.StringValue("sessionid=x8s7df6g5h4j3k2l; csrftoken=ab12cd34ef56")
	for i, text := range [...]string{"x8s7df6g5h4j3k2l", "ab12cd34ef56", "dark"} {
		e.Request.Cookies.Kids[i].Value = core.StringValue(text)
	}
	e.Request.Data.Kids[password].Value = core.StringValue("correct horse")
}

func BenchmarkEvent(b *testing.B) { benchmarkEvent(b, DefaultRules()) }

// typicalPatterns are ten patterns of the kind that projects write.
var typicalPatterns = []string{
	`\bEMP-\d{6}\b`, `[\w.+-]+@[\w-]+\.[\w.]+`, `\b\d{1,3}(?:\.\d{1,3}){3}\b`, `acct_[A-Za-z0-9]{8,}`, `(?<=customer=)\w+`,
	`[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}`, `\+\d{2,3}[ -]?\d{6,12}`, `\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b`,
	`order (?:no\.|number) \d+`,
	`(?:internal|corp)\.example\.com`,
}

func BenchmarkEventWithPatterns(b *testing.B) {
	r, err := NewRules([]string{"order_total", "username"}, typicalPatterns)
	require.NoError(b, err)
	benchmarkEvent(b, r)
}

func TestTypicalEventIsTypical(t *testing.T) {
	t.Parallel()
	n := len(typicalEvent().AppendJSON(nil))
	require.Greater(t, n, 6000)
	require.Less(t, n, 9000)
}
