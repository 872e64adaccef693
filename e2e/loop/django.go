// Package loop is the loop of work as agents go through it, without a model, and the cost of a fix.
package loop

import (
	"encoding/json"
	"fmt"
)

// The contents of an ordinary error of a Django app.
const (
	djangoFrames      = 30
	djangoBreadcrumbs = 40
)

// MakeDjangoEvent makes the n-th error of a Django app as the SDK for Python sends it. Each n makes a separate issue.
func MakeDjangoEvent(n int) []byte {
	event := map[string]any{
		"event_id": fmt.Sprintf("%032x", n+1), "platform": "python", "level": "error", "release": "shop@1.4.0", "environment": "production",
		"server_name": "web-3", "transaction": "/checkout/{cart_id}/",
		"sdk": map[string]any{"name": "sentry.python.django", "version": "2.19.0"},
		"exception": map[string]any{"values": []any{map[string]any{
			"type": "KeyError", "value": fmt.Sprintf("'discount_%d'", n), "mechanism": map[string]any{"type": "django", "handled": false},
			"stacktrace": map[string]any{"frames": makeFrames(n)},
		}}},
		"breadcrumbs": map[string]any{"values": makeBreadcrumbs()},
		"request": map[string]any{
			"url": "https://shop.example.com/checkout/4711/", "method": "POST", "data": map[string]any{"voucher": "SPRING", "quantity": 2},
			"headers": map[string]any{"Content-Type": "application/json", "User-Agent": "Mozilla/5.0", "Referer": "https://shop.example.com/cart/"},
		},
		"user": map[string]any{"id": "17", "ip_address": "203.0.113.7"}, "tags": map[string]any{"region": "eu", "queue": "web"},
		"contexts": map[string]any{"runtime": map[string]any{"name": "CPython", "version": "3.12.4"}},
		"modules":  map[string]any{"django": "5.1.2", "psycopg": "3.2.1", "celery": "5.4.0", "redis": "5.1.1", "gunicorn": "23.0.0"},
	}
	text, err := json.Marshal(event)
	if err != nil {
		panic(err) // it consists of JSON values
	}
	return text
}

// makeFrames makes the frames of the framework, and the innermost ones of the app.
func makeFrames(n int) []any {
	var frames []any
	for f := range djangoFrames {
		file, module := "django/core/handlers/middleware.py", "django.core.handlers.middleware"
		name, inApp := fmt.Sprintf("inner_%d", f), false
		if f >= djangoFrames-6 {
			file, module = fmt.Sprintf("shop/checkout_%d.py", n), fmt.Sprintf("shop.checkout_%d", n)
			name, inApp = fmt.Sprintf("apply_step_%d", f), true
		}
		frames = append(frames, map[string]any{
			"filename": file, "abs_path": "/srv/app/" + file, "module": module, "function": name, "lineno": 40 + f, "in_app": inApp,
			"pre_context": []string{"    def " + name + "(self, cart, request):",
				"        prices = self.load_prices(cart)",
				"        total = sum(prices)"},
			"context_line": "        total -= self.rules[f\"discount_{cart.kind}\"]",
			"post_context": []string{"        return total.quantize(CENT)", "", "    def load_prices(self, cart):"},
			"vars": map[string]any{"self": "<shop.checkout.Checkout object>",
				"cart":  "<Cart: 4711>",
				"total": "Decimal('42.50')", "step": f},
		})
	}
	return frames
}

func makeBreadcrumbs() []any {
	var crumbs []any
	for c := range djangoBreadcrumbs {
		crumb := map[string]any{"timestamp": fmt.Sprintf("2026-01-01T12:00:%02dZ", c), "category": "query", "type": "default",
			"level": "info",
			"message": fmt.Sprintf(`SELECT "id", "amount" FROM "shop_price" `+
				`WHERE "shop_price"."cart_id" = %d LIMIT 21`, c)}
		if c%4 == 0 {
			crumb["category"], crumb["type"], crumb["message"] = "httplib", "http", ""
			crumb["data"] = map[string]any{"url": "https://tax.example.com/v1/rates", "method": "GET", "status_code": 200}
		}
		crumbs = append(crumbs, crumb)
	}
	return crumbs
}
