package stack_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"errand/core"
	"errand/envelope/stack"

	"github.com/stretchr/testify/require"
)

// describeTraces writes traces in few lines: Type: value, then each frame as module|function file:line:column.
func describeTraces(traces []stack.Trace) string {
	var text strings.Builder
	for _, t := range traces {
		fmt.Fprintf(&text, "%s %s: %s\n", t.Module, t.Type, t.Value)
		for _, f := range t.Frames {
			fmt.Fprintf(&text, "  %s|%s %s:%d:%d", f.Module, f.Function, f.Filename, f.Lineno, f.Colno)
			if f.ContextLine != "" {
				fmt.Fprintf(&text, " <%s>", f.ContextLine)
			}
			text.WriteByte('\n')
		}
	}
	return text.String()
}

var cases = []struct{ name, platform, text, want string }{
	{"V8", "javascript", `TypeError: Cannot read properties of undefined (reading 'x')
    at Cart.total (/srv/shop/cart.js:12:34)
    at new Order (file:///srv/shop/order.mjs:3:5)
    at async Promise.all (index 0)
    at Object.<anonymous> (C:\shop\main.js:1:2)
    at eval (eval at run (/srv/shop/run.js:7:9), <anonymous>:1:1)
    at Array.map (<anonymous>)
    at https://x.org/(group)/app.js:9:1
    at a.b [as c] (webpack:///./src/c.js?:5:6)
    at async /srv/shop/last.js:1:1`, ` TypeError: Cannot read properties of undefined (reading 'x')
  |Cart.total /srv/shop/cart.js:12:34
  |new Order file:///srv/shop/order.mjs:3:5
  |async Promise.all index 0:0:0
  |Object.<anonymous> C:\shop\main.js:1:2
  |eval /srv/shop/run.js:7:9
  |Array.map <anonymous>:0:0
  | https://x.org/(group)/app.js:9:1
  |a.b [as c] webpack:///./src/c.js?:5:6
  | /srv/shop/last.js:1:1
`},
	{"Node at the end of a process, with a cause", "javascript", `/srv/a.js:3
    throw new Error("outer", { cause });
    ^

Error: outer
of two lines
    at f (/srv/a.js:3:11)
    at node:internal/main/run_main_module:36:49 {
  code: 'E_OUTER',
  [cause]: TypeError [ERR_INVALID_ARG]: inner
      at g (/srv/a.js:1:7)
}

Node.js v24.11.0`, ` Error: outer
of two lines
  |f /srv/a.js:3:11
  | node:internal/main/run_main_module:36:49
 TypeError: inner
  |g /srv/a.js:1:7
`},
	{"Node's error with its own properties", "javascript", `Error: connect ECONNREFUSED 127.0.0.1:1
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)
    at async main (/srv/a.js:3:9) {
  errno: -111,
  code: 'ECONNREFUSED'
}`, ` Error: connect ECONNREFUSED 127.0.0.1:1
  |TCPConnectWrap.afterConnect [as oncomplete] node:net:1555:16
  |async main /srv/a.js:3:9
`},
	{"Node's AggregateError with a cause", "javascript", `AggregateError: all failed
    at g (/srv/a.js:9:1) {
  [errors]: [
    Error: first
        at h (/srv/a.js:1:1) {
      list: [
        1
      ]
    },
    Error: second
        at i (/srv/a.js:2:1)
  ],
  [cause]: TypeError: inner
      at j (/srv/a.js:4:1)
}`, ` AggregateError: all failed
  |g /srv/a.js:9:1
 TypeError: inner
  |j /srv/a.js:4:1
`},
	{"a list of errors that does not end", "javascript", `AggregateError: all failed
    at g (/srv/a.js:9:1) {
  [errors]: [
    Error: first
        at h (/srv/a.js:1:1)`, ` AggregateError: all failed
  |g /srv/a.js:9:1
`},
	{".NET's AggregateException", "csharp", `System.AggregateException: One or more errors occurred. (first) (second)
 ---> System.InvalidOperationException: first
   at A.B() in /src/a.cs:line 3
   --- End of inner exception stack trace ---
   at Program.Main() in /src/p.cs:line 9
 ---> (Inner Exception #1) System.ArgumentException: second
   at C.D() in /src/c.cs:line 5
   at C.E() in /src/c.cs:line 6<---
`, ` System.AggregateException: One or more errors occurred. (first) (second)
  Program|Main /src/p.cs:9:0
 System.InvalidOperationException: first
  A|B /src/a.cs:3:0
`},
	{".NET with codes behind the types", "csharp", `System.Runtime.InteropServices.COMException (0x80040154): Class not registered
 ---> System.Net.Sockets.SocketException (111): Connection refused
   at A.B.C()
   --- End of inner exception stack trace ---
   at A.D.E() in /src/d.cs:line 7`, ` System.Runtime.InteropServices.COMException: Class not registered
  A.D|E /src/d.cs:7:0
 System.Net.Sockets.SocketException: Connection refused
  A.B|C :0:0
`},
	{"Firefox", "javascript", `f@https://x.org/a.js:3:11
g/<@https://x.org/a@2.js:1:7
@https://x.org/:9:1
run@https://x.org/a.js line 26 > eval line 2 > eval:1:30
asyncFunc*h@moz-extension://abc/x.js:1:2
`, ` : 
  |f https://x.org/a.js:3:11
  |g/< https://x.org/a@2.js:1:7
  | https://x.org/:9:1
  |run https://x.org/a.js:26:0
  |asyncFunc*h moz-extension://abc/x.js:1:2
`},
	{"Safari", "javascript", `f@https://x.org/a.js:3:11
map@[native code]
[native code]
https://x.org/a.js:5:6
global code@https://x.org/a.js:9:10`, ` : 
  |f https://x.org/a.js:3:11
  |map [native code]:0:0
  | [native code]:0:0
  | https://x.org/a.js:5:6
  |global code https://x.org/a.js:9:10
`},
	{"Python", "python", `Traceback (most recent call last):
  File "/srv/app/tax.py", line 22, in rate
    return TABLE[country]["rate"]
           ~~~~~^^^^^^^^^
KeyError: 'LI'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/v/lib/python3.13/site-packages/django/core/handlers/base.py", line 9, in inner
    response = get_response(request)
  File "<stdin>", line 1, in <module>
  [Previous line repeated 990 more times]
  File "/srv/app/views.py", line 91, in post
shop.errors.TaxError: no rate:
  for LI
`, `shop.errors TaxError: no rate:
  for LI
  |post /srv/app/views.py:91:0
  |<module> <stdin>:1:0
  |inner django/core/handlers/base.py:9:0 <response = get_response(request)>
 KeyError: 'LI'
  |rate /srv/app/tax.py:22:0 <return TABLE[country]["rate"]>
`},
	{"Python's group of exceptions", "python", `  + Exception Group Traceback (most recent call last):
  |   File "/srv/app/a.py", line 3, in main
  |     raise ExceptionGroup("two", [a, b])
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/app/a.py", line 1, in one
    | ValueError: a
    +------------------------------------
`, ` ExceptionGroup: two (2 sub-exceptions)
  |main /srv/app/a.py:3:0 <raise ExceptionGroup("two", [a, b])>
`},
	{"Go panic", "go", `panic: runtime error: index out of range [5] with length 3 [recovered]
	panic: again

goroutine 7 [running]:
testing.tRunner.func1.2({0x1, 0x2})
	/usr/local/go/src/testing/testing.go:1734 +0x21c
panic({0x12, 0x34})
	/usr/local/go/src/runtime/panic.go:792 +0x132
example.org/shop/cart.(*Cart).Total(...)
	/src/cart/cart.go:12
example.org/shop/v2.Map[...].func1({0xc0001, 0x5}, 0x3)
	/src/map.go:31 +0x1d
main.main()
	/src/main.go:9 +0x1a
created by main.start in goroutine 1
	/src/main.go:5 +0x2f

goroutine 1 [select]:
main.wait()
	/src/wait.go:3 +0x11
exit status 2`, ` panic: runtime error: index out of range [5] with length 3
  example.org/shop/cart|(*Cart).Total /src/cart/cart.go:12:0
  example.org/shop/v2|Map[...].func1 /src/map.go:31:0
  main|main /src/main.go:9:0
`},
	{"Go's debug.Stack", "go", `goroutine 1 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
main.f()
	/src/main.go:9 +0x1a
`, ` : 
  main|f /src/main.go:9:0
`},
	{"Java", "java", `Exception in thread "main" org.example.ShipException: no answer
for order 7
	at org.example.Ship.post(Ship.java:64)
	at app//org.example.Order$1.run(Order.kt:12) ~[orders.jar:1.0]
	at org.example.Ship$$Lambda$1/1324119927.run(Unknown Source)
	at app//org.example.Ship$$Lambda/0x0000000800066840.run(Unknown Source)
	at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(Native Method)
	at org.example.Main.main(Unknown Source)
	Suppressed: java.io.IOException: closing
		at org.example.Res.close(Res.java:3)
	Caused by: java.lang.Error: nested
		at org.example.Deep.deep(Deep.java:1)
Caused by: java.net.SocketTimeoutException
	at java.base/sun.nio.ch.NioSocketImpl.read(NioSocketImpl.java:288)
	... 2 more`, `org.example ShipException: no answer
for order 7
  org.example.Ship|post Ship.java:64:0
  org.example.Order$1|run Order.kt:12:0
  org.example.Ship$$Lambda$1/1324119927|run :0:0
  org.example.Ship$$Lambda/0x0000000800066840|run :0:0
  jdk.internal.reflect.DirectMethodHandleAccessor|invoke :0:0
  org.example.Main|main :0:0
java.net SocketTimeoutException: 
  sun.nio.ch.NioSocketImpl|read NioSocketImpl.java:288:0
  jdk.internal.reflect.DirectMethodHandleAccessor|invoke :0:0
  org.example.Main|main :0:0
`},
	{".NET", "csharp", `Unhandled exception. System.InvalidOperationException: cannot ship
 ---> System.ArgumentException: no country (Parameter 'country')
   at Shop.Tax.RateOf(String country) in /src/Shop/Tax.cs:line 12
   at Shop.Tax..ctor(Order order)
   --- End of inner exception stack trace ---
   at Shop.Order.<ShipAsync>d__4.MoveNext() in C:\src\Shop\Order.cs:line 48
--- End of stack trace from previous location ---
   at Shop.Program.<Main>b__0_1[T](T item, Int32 n)
   at lambda_method12(Closure, Object)`, ` System.InvalidOperationException: cannot ship
  Shop.Order.<ShipAsync>d__4|MoveNext C:\src\Shop\Order.cs:48:0
  Shop.Program|<Main>b__0_1[T] :0:0
  |lambda_method12 :0:0
 System.ArgumentException: no country (Parameter 'country')
  Shop.Tax|RateOf /src/Shop/Tax.cs:12:0
  Shop.Tax|.ctor :0:0
`},
	{"Ruby", "ruby", `/app/cart.rb:3:in 'Shop::Cart#total': undefined method 'price' for nil (NoMethodError)
	from /app/cart.rb:9:in 'block in Shop::Cart#sum'
	from /usr/lib/ruby/3.4/x.rb:1:in 'Array#each'
	from /app/main.rb:12:in '<main>'
/app/cart.rb:1:in 'load': gone (Shop::Missing)
	from /app/main.rb:2:in '<main>'`, ` NoMethodError: undefined method 'price' for nil
  Shop::Cart|total /app/cart.rb:3:0
  Shop::Cart|block in sum /app/cart.rb:9:0
  Array|each /usr/lib/ruby/3.4/x.rb:1:0
  |<main> /app/main.rb:12:0
 Shop::Missing: gone
  |load /app/cart.rb:1:0
  |<main> /app/main.rb:2:0
`},
	{"Ruby's joined backtrace", "ruby", "app.rb:3:in `foo'\napp.rb:7:in `<main>'", ` : 
  |foo app.rb:3:0
  |<main> app.rb:7:0
`},
	{"Ruby with the oldest first", "ruby",
		"Traceback (most recent call last):\n\t1: from app.rb:7:in `<main>'\napp.rb:3:in `foo': bad (RuntimeError)", ` RuntimeError: bad
  |foo app.rb:3:0
  |<main> app.rb:7:0
`},
	{"PHP", "php", `PHP Fatal error:  Uncaught PDOException: gone in /www/db.php:5
Stack trace:
#0 /www/db.php(5): PDO->query('SELECT 1')
#1 {main}

Next App\ShopError: no cart in /www/cart.php:17
Stack trace:
#0 /www/shop.php(42): App\Cart->load(Array, 'x: y')
#1 [internal function]: App\Shop::{closure}(Object(App\Cart))
#2 /www/index.php(3): {closure:/www/x.php:9}()
#3 {main}
  thrown in /www/cart.php on line 17`, ` App\ShopError: no cart
  App\Cart|load /www/cart.php:17:0
  App\Shop|{closure} /www/shop.php:42:0
  |{closure} [internal function]:0:0
  | /www/index.php:3:0
 PDOException: gone
  PDO|query /www/db.php:5:0
  | /www/db.php:5:0
`},
	{"PHP's getTraceAsString", "php", "#0 /www/a.php(12): run(1)\n#1 {main}", ` : 
  |run :0:0
  | /www/a.php:12:0
`},
	{"Rust", "rust", `thread 'main' panicked at src/main.rs:4:5:
index out of bounds: the len is 3
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:665:5
   1: core::panicking::panic_bounds_check
   2: <app::Cart as app::Total>::total::h0123456789abcdef
             at ./src/main.rs:4:5
   3: 0x55d0 - app::main
note: Some details are omitted`, ` panic: index out of bounds: the len is 3
  |rust_begin_unwind /rustc/abc/library/std/src/panicking.rs:665:5
  core::panicking|panic_bounds_check :0:0
  <app::Cart as app::Total>|total::h0123456789abcdef ./src/main.rs:4:5
  app|main :0:0
`},
	{"old Rust", "rust", `thread 'main' panicked at 'it's bad', src/main.rs:4:5
stack backtrace:
   0: app::main`, ` panic: it's bad
  app|main :0:0
`},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, given := range []string{tt.platform, "", "other", "unheard-of"} {
				traces, platform := stack.ParseStack(tt.text, given)

				require.Equal(t, tt.want, describeTraces(traces), "platform %q", given)
				require.Equal(t, tt.platform, platform)
			}
			windows, _ := stack.ParseStack(strings.ReplaceAll(tt.text, "\n", "\r\n"), "")

			require.Equal(t, tt.want, describeTraces(windows), "lines of Windows")
		})
	}
}

func TestParseWrongPlatform(t *testing.T) {
	t.Parallel()
	traces, platform := stack.ParseStack("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 1", "java")

	require.Len(t, traces, 1)
	require.Equal(t, "python", platform)
	for _, alias := range []string{"node", "javascript"} {
		_, platform = stack.ParseStack("at f (/a.js:1:2)", alias)
		require.Equal(t, "javascript", platform)
	}
}

func TestParseNoStack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "it broke", "at the end", "mail ada@example.org: no", "see a:1", "panic: x", "TypeError: x", "File \"x\"", "#0", "#x y: z()",
		"goroutine 1 [running]:", "1: one thing", "Caused by: x\n... 3 more", "a\nb\nc\n", "note: see https://x.org/a",
	} {
		t.Run(text, func(t *testing.T) {
			for _, platform := range []string{"", "javascript", "python", "go", "java", "csharp", "ruby", "php"} {
				traces, found := stack.ParseStack(text, platform)

				require.Empty(t, traces, "%q as %s", text, platform)
				require.Empty(t, found)
			}
		})
	}
}

// hostile are texts that slow down a parser that reads anything more than a few times.
var hostile = []string{
	strings.Repeat("(", 1<<20) + strings.Repeat(")", 1<<20),
	"at " + strings.Repeat("eval at (", 1<<18) + strings.Repeat(")", 1<<18),
	strings.Repeat("@", 2<<20) + "a.js:1:2",
	strings.Repeat("a@", 1<<20) + "a.js:1:2",
	strings.Repeat("at f (a.js:1:2)\n", 1<<17),
	strings.Repeat("at a.b.C.d(E.java:1)\nCaused by: x\nat a.b.C.d(E.java:1)\n... 1 more\n", 1<<15),
	strings.Repeat("  File \"a.py\", line 3, in f\n", 1<<16) + "E: x",
	strings.Repeat("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nE: x\n", 1<<15),
	strings.Repeat("#0 a(1): f()\nNext x\n", 1<<16),
	"0: " + strings.Repeat("a::", 1<<19),
	strings.Repeat("0: "+strings.Repeat("<", 100)+"\n", 1<<14),
	strings.Repeat(" ---> ", 1<<17) + "\n at A.b()\n" + strings.Repeat("--- End of inner exception stack trace ---\n", 1<<14),
	"x:1:in `" + strings.Repeat("x:1:in `", 1<<18) + "'",
	"goroutine 1 [running]:\n" + strings.Repeat("f(\n\ta.go:1\n", 1<<17),
}

func TestParseIsLinear(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		t.Run(text, func(t *testing.T) {
			start := time.Now()
			traces, _ := stack.ParseStack(text, "")
			n := 0
			for _, trace := range traces {
				n += len(trace.Frames)
			}
			require.LessOrEqual(t, n, 40_000)
			require.Less(t, time.Since(start), 10*time.Second, "%.40q", text) // a quadratic pass takes minutes
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range cases {
		f.Add(c.text, c.platform)
	}
	f.Fuzz(func(t *testing.T, text, platform string) {
		traces, found := stack.ParseStack(text, platform)
		require.Equal(t, len(traces) > 0, found != "")
		for _, trace := range traces {
			for _, frame := range trace.Frames {
				require.GreaterOrEqual(t, frame.Lineno, core.OptInt(0))
				require.GreaterOrEqual(t, frame.Colno, core.OptInt(0))
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for _, tt := range cases {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				stack.ParseStack(tt.text, tt.platform)
			}
		})
	}
}
