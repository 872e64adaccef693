package grouping

import (
	"fmt"
	"strings"
	"testing"

	"errand/core"
)

// frameStyle is the form of a platform's frames; %s is a word that differs from frame to frame.
type frameStyle struct{ function, module, file string }

var frameStyles = map[string]frameStyle{
	"python":     {"load_%s", "shop.orders.%s", "shop/orders/%s.py"},
	"javascript": {"Cart.load%s", "", "https://shop.example.com/static/%s.3f2a1b.js"},
	"node":       {"async Cart.load%s", "dist.orders:%s", "/srv/app/dist/orders/%s.js"},
	"java":       {"load%s", "com.example.shop.orders.%sService", "%sService.java"},
	"go":         {"(*Server).load%s.func1", "github.com/acme/shop/orders/%s", "%s.go"},
	"csharp":     {"MoveNext", "Shop.Orders.%sService+<LoadAsync>d__5", "/src/Shop/Orders/%sService.cs"},
	"native":     {"shop::orders::%s::load::{{closure}}", "", "/src/shop/%s.rs"},
	"php":        {`App\Orders\%s::load`, "", "/srv/app/Orders/%s.php"},
	"ruby":       {"block in load_%s", "", "app/models/%s.rb"},
}

var frameWords = [...]string{"address", "basket", "card", "delivery", "entry", "filter", "gift", "history", "item", "journal"}

// typicalEvent has two exceptions of 20 frames; every n-th frame belongs to the application.
func typicalEvent(platform string, every int) *core.Event {
	style := frameStyles[platform]
	fill := func(pattern string, i int) core.Untrusted {
		return core.Untrusted(strings.ReplaceAll(pattern, "%s", frameWords[i%len(frameWords)]))
	}
	frames := make([]core.Frame, 20)
	for i := range frames {
		frames[i] = core.Frame{
			Function: fill(style.function, i), Module: fill(style.module, i), Filename: fill(style.file, i), AbsPath: fill(style.file, i),
			Lineno: core.OptInt(10 + i), InApp: i%every == 0, ContextLine: "    return self.load(order_id)",
		}
	}
	return &core.Event{Platform: platform, Transaction: "/orders/{id}", Exceptions: []core.Exception{
		{Type: "OrderError", Value: "order 42 of bob@example.com not found", Frames: frames},
		{Type: "KeyError", Value: "'42'", Frames: frames},
	}}
}

func BenchmarkOf(b *testing.B) {
	for platform := range frameStyles {
		for _, every := range []int{1, 3} {
			e := typicalEvent(platform, every)
			b.Run(fmt.Sprintf("%s/own=%d", platform, 40/every), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					ComputeKey(e)
				}
			})
		}
	}
}

func BenchmarkOfMessage(b *testing.B) {
	e := &core.Event{Message: "2024-01-31T22:31:45Z order 42 of bob@example.com failed: " +
		"open /tmp/x-77/a.json: no such file (10.0.0.1:5432)"}
	b.ReportAllocs()
	for b.Loop() {
		ComputeKey(e)
	}
}

func BenchmarkTitleAndCulprit(b *testing.B) {
	event := typicalEvent("python", 3)
	event.Transaction = ""
	b.ReportAllocs()
	for b.Loop() {
		MakeTitle(event)
		FindCulprit(event)
	}
}
