package envelope_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// ownFunctions returns the application's functions in an event whose SDK marked all frames, nearest the crash first. A frame is
// "function|file", in the same order.
func ownFunctions(t *testing.T, platform, sdk string, frames ...string) []string {
	t.Helper()
	list := make([]map[string]any, len(frames))
	for i, text := range frames {
		function, file, _ := strings.Cut(text, "|")
		module, function, found := strings.Cut(function, "#")
		if !found {
			module, function = "", module
		}
		list[len(frames)-1-i] = map[string]any{"function": function, "module": module, "abs_path": file, "in_app": true}
	}
	payload, err := json.Marshal(map[string]any{
		"platform": platform, "sdk": map[string]any{"name": sdk},
		"exception": []any{map[string]any{"type": "panic", "stacktrace": map[string]any{"frames": list}}},
	})
	require.NoError(t, err)
	var own []string
	for _, f := range decodeEvent(t, string(payload)).Exceptions[0].Frames {
		if f.InApp {
			own = append(own, string(f.Function))
		}
	}
	return own
}

func TestFramesOfRustThatAreNotTheApps(t *testing.T) {
	t.Parallel()
	const registry = "/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/"

	require.Equal(t, []string{"shop::orders::total", "shop::main"}, ownFunctions(t, "native", "sentry.rust",
		"sentry_backtrace::current_stacktrace|"+registry+"sentry-backtrace-0.49.5/src/lib.rs",
		"shop::main::{{closure}}|/srv/shop/src/main.rs", // the application's own hook for panics
		"std::panicking::panic_with_hook|/rustc/59807616e1fa/library/std/src/panicking.rs",
		"__rustc::rust_begin_unwind|/rustc/59807616e1fa/library/std/src/panicking.rs",
		"core::panicking::panic_fmt|/rustc/59807616e1fa/library/core/src/panicking.rs",
		"<usize as core::slice::index::SliceIndex<[T]>>::index|/rustc/59807616e1fa/library/core/src/slice/index.rs",
		"shop::orders::total|/srv/shop/src/orders.rs",
		"itertools::fold|"+registry+"itertools-0.13.0/src/lib.rs",
		"std::panicking::catch_unwind|/rustc/59807616e1fa/library/std/src/panicking.rs",
		"shop::main|/srv/shop/src/main.rs",
		"__libc_start_call_main|./csu/../sysdeps/nptl/libc_start_call_main.h", "main", "_start", "<unknown>"), "debug")

	require.Equal(t, []string{"shop::pay", "<shop::Cart as core::fmt::Display>::fmt", "<&mut dyn shop::Till as core::any::Any>::open",
		"shop::main"},
		ownFunctions(t, "native", "",
			"<sentry_panic::PanicIntegration as sentry_core::Integration>::setup::{{closure}}", "std::panicking::begin_panic",
			"core::option::unwrap_failed",
			"shop::pay", "<shop::Cart as core::fmt::Display>::fmt", "<E as anyhow::context::ext::StdError>::ext_context",
			"tracing_core::event::Event::dispatch",
			"<&mut dyn shop::Till as core::any::Any>::open", "log::__private_api::log", "std::panicking::try::do_call", "__rust_try",
			"shop::main", "main", "clone3"),
		"without debug information only the functions are known")

	for _, path := range []string{
		`C:\Users\x\.cargo\registry\src\index.crates.io-1\anyhow-1.0\src\error.rs`,
		`C:\Users\x\.rustup\toolchains\stable\lib\rustlib\src\lib.rs`, `\rustc\5980\library\std\src\rt.rs`,
		"/usr/local/cargo/registry/src/index.crates.io-1/a-1.0/src/lib.rs", "/home/x/.cargo/git/checkouts/a-1/2/src/lib.rs",
		"/home/x/.rustup/toolchains/stable/lib/x.rs",
		"/rustc/5980/library/alloc/src/vec.rs", "/usr/local/rustup/toolchains/1.90/lib/rustlib/src/rust/library/std/src/rt.rs",
	} {
		t.Run(path, func(t *testing.T) {
			require.Equal(t, []string{"shop::main"}, ownFunctions(t, "native", "sentry.rust", "whose::run|"+path,
				`shop::main|C:\app\src\main.rs`))
		})
	}
	require.Equal(t, []string{"shop::load"}, ownFunctions(t, "native", "sentry.rust", "at /rustc/5980/library/std/src/panic.rs:359:14",
		"shop::load"))
}

func TestFramesOfOtherNativeLanguagesKeepTheirMarks(t *testing.T) {
	t.Parallel()
	all := []string{"log::write|/src/log.cpp", "core::Engine::run|/src/core.cpp", "tracing::Span::end", "main|/src/main.cpp"}
	require.Equal(t, []string{"log::write", "core::Engine::run", "tracing::Span::end", "main"},
		ownFunctions(t, "native", "sentry.native", all...))
}

func TestFramesOfGoThatAreNotTheApps(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"report", "handle", "run"}, ownFunctions(t, "go", "sentry.go",
		"main#report|/go/src/app/main.go",
		"main#(*Handler).HandleFunc.func4|/root/go/pkg/mod/github.com/getsentry/sentry-go@v0.50.0/http/sentryhttp.go",
		"net/http#HandlerFunc.ServeHTTP|/opt/toolchain/src/net/http/server.go",
		"runtime#goexit|/opt/toolchain/src/runtime/asm_amd64.s",
		"github.com/gin-gonic/gin#(*Context).Next|github.com/gin-gonic/gin@v1.10.0/context.go",
		`github.com/gin-gonic/gin#(*Context).Next|C:\Users\x\go\pkg\mod\github.com\gin-gonic\gin@v1.10.0\context.go`,
		"log/handlers#handle|/home/x/log/handlers/handle.go", // an application that is called log
		"acme.example/shop#run|/src/shop/run.go"))

	event := decodeEvent(t, `{"platform":"go","sdk":{"name":"sentry.go"},"exception":[{"type":"E","stacktrace":{"frames":[
		{"function":"main","module":"main","filename":"acme.example/shop/main.go","in_app":false},
		{"function":"ServeHTTP","module":"net/http","filename":"net/http/server.go","in_app":false},
		{"function":"Next","module":"github.com/x/y","filename":"github.com/x/y@v1.0.0/z.go","in_app":false}]}}]}`)
	var own []bool
	for _, f := range event.Exceptions[0].Frames {
		own = append(own, f.InApp)
	}
	require.Equal(t, []bool{false, false, true}, own, "built with -trimpath, where the SDK marks nothing")
}

func TestDecodeReports(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ payload, title, subject, detail string }{
		{`{"expectct":{"expect-ct-report":{"hostname":"a.example","port":443}}}`, "Expect-CT failed for 'a.example'", "a.example", ""},
		{`{"expectct":{"hostname":"a.example"}}`, "Expect-CT failed for 'a.example'", "a.example", ""},
		{`{"expectstaple":{"expect-staple-report":{"hostname":"a.example"}}}`, "Expect-Staple failed for 'a.example'", "a.example", ""},
		{`{"hpkp":{"hostname":"a.example","noted-hostname":"b.example"}}`, "Public key pinning validation failed for 'a.example'",
			"a.example", ""},
		{`{"hpkp":{"noted-hostname":"b.example"}}`, "Public key pinning validation failed for 'b.example'", "b.example", ""},
		{`{"template":{"filename":"cart.html","lineno":7,"context_line":" {% if x "}}`, "Error in template 'cart.html'", "cart.html",
			"{% if x"},
		{`{"message":"syntax","template":{"abs_path":"/t/cart.html","lineno":7}}`, "syntax", "/t/cart.html", ""},
	} {
		t.Run(tt.payload, func(t *testing.T) {
			e := decodeEvent(t, tt.payload)

			require.Equal(t, tt.title, string(e.Message))
			require.Equal(t, tt.subject, e.Report.Subject)
			require.Equal(t, tt.detail, e.Report.Detail)
			require.NotEmpty(t, e.Contexts.Get(e.Report.Kind.String()).Kids, "the report itself is kept")
		})
	}
	require.Nil(t, decodeEvent(t, `{"expectct":{},"hpkp":null}`).Report)
	require.Equal(t, core.ReportCSP,
		decodeEvent(t, `{"csp":{"effective-directive":"img-src"},"hpkp":{"hostname":"a.example"}}`).Report.Kind)
}

func TestFramesOfRubyBesideTheProjectsFolders(t *testing.T) {
	t.Parallel()
	own := func(sdk, others string) (list []bool) {
		e := decodeEvent(t, `{"platform":"ruby","sdk":{"name":"`+sdk+`"},"exception":[{"type":"E","stacktrace":{"frames":[
			{"abs_path":"server.rb","in_app":false},{"abs_path":"/srv/shop/server.rb","in_app":false},`+others+`
			{"abs_path":"/srv/shop/vendor/bundle/gems/rack-3/rack.rb","in_app":false},{"abs_path":"/usr/lib/ruby/3.1.0/json/common.rb",
			"in_app":false}]}}]}`)
		for _, f := range e.Exceptions[0].Frames {
			list = append(list, f.InApp)
		}
		return list
	}

	require.Equal(t, []bool{false, false, true, true}, own("sentry.ruby", ""))
	require.Equal(t, []bool{false, false, true, true}, own("sentry.ruby.rails", ""))
	require.Equal(t, []bool{false, false, true, false, false}, own("sentry.ruby", `{"abs_path":"/srv/shop/app/cart.rb","in_app":true},`))
	require.Equal(t, []bool{false, false, false, false}, own("mine", ""), "another client knows what it says")
}

// The same frames are libraries whether or not the SDK marks frames.
func TestMarkedFramesAndOthersAreOfTheSameLibraries(t *testing.T) {
	t.Parallel()
	for frame, isOwn := range map[[2]string]bool{
		{"go", "main#run|/go/src/shop/main.go"}:                                              true, // GOPATH of the images of Go
		{"go", "runtimes/pool#Start|/srv/runtimes/pool/pool.go"}:                             true,
		{"go", "testing_shop#Pay|"}:                                                          true,
		{"go", "log/handlers#handle|/home/x/log/handlers/handle.go"}:                         true,
		{"go", "(*Cart).Pay|/srv/shop/cart.go"}:                                              true,
		{"go", "main.run|/srv/shop/main.go"}:                                                 true,
		{"go", "strconv#Atoi|/usr/local/go/src/strconv/atoi.go"}:                             false,
		{"go", "Atoi|/usr/local/go/src/strconv/atoi.go"}:                                     false,
		{"go", `Atoi|C:\Program Files\Go\src\strconv\atoi.go`}:                               false,
		{"go", "encoding/json#Unmarshal|/usr/lib/go-1.24/src/encoding/json/decode.go"}:       false,
		{"go", "bytes#(*Buffer).Write|bytes/buffer.go"}:                                      false,
		{"go", "net/http.(*conn).serve|"}:                                                    false,
		{"go", "runtime.gopanic|"}:                                                           false,
		{"go", "golang.org/x/sync/errgroup#(*Group).Go.func1|"}:                              false,
		{"go", "gin#(*Context).Next|third_party/gin/context.go"}:                             false,
		{"go", "gin#(*Context).Next|vendor/github.com/gin-gonic/gin/context.go"}:             false,
		{"rust", "shop::pay|/srv/shop/src/main.rs"}:                                          true,
		{"rust", "actix_files::serve|"}:                                                      false,
		{"rust", "<std::io::Stdin as std::io::Read>::read|"}:                                 false,
		{"rust", "axum::serve|"}:                                                             false,
		{"rust", "futures_util::poll|"}:                                                      false,
		{"rust", "rayon::join|/build/cargo/registry/src/index.crates.io-1/rayon/src/lib.rs"}: false,
		{"rust", "start_thread|"}:                                                            false,
	} {
		t.Run(frame[0]+" "+frame[1], func(t *testing.T) {
			platform, function := frame[0], frame[1]
			name, file, _ := strings.Cut(function, "|")
			module, name, found := strings.Cut(name, "#")
			if !found {
				module, name = "", module
			}
			for _, mark := range []string{"", `,"in_app":true`} {
				e := decodeEvent(t,
					`{"platform":"`+platform+`","exception":[{"type":"E","stacktrace":{"frames":[{"function":`+strconv.Quote(name)+
						`,"module":`+strconv.Quote(module)+`,"abs_path":`+strconv.Quote(file)+mark+`}]}}]}`)
				require.Equal(t, isOwn, e.Exceptions[0].Frames[0].InApp, "%s%s", frame, mark)
			}
		})
	}
}
