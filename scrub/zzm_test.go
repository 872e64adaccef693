package scrub
import ("testing")
func BenchmarkZZ(b *testing.B) {
	r := Default()
	for _, s := range []string{"name", "version", "shop.checkout.views", "        return JsonResponse({\"total\": total, \"id\": order.pk})", "https://api.example.com/v1/stock/A-100", "SELECT id, total FROM orders WHERE id = 88210 LIMIT 1","/srv/app/releases/20261103/shop/checkout/views.py", "<shop.checkout.views.CheckoutView object at 0x7f3a5c0d9e50>"} {
		b.Run(s[:min(len(s),20)], func(b *testing.B) { w := walk{rules: r}; for b.Loop() { w.text(s) } })
	}
	for _, s := range []string{"name", "status_code", "Accept-Encoding", "csrftoken", "sessionid", "X-Forwarded-For", "author"} {
		b.Run("key"+s, func(b *testing.B) { for b.Loop() { nameOf(s) } })
	}
}
