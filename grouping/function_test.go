package grouping

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

var functionNamesCases = []struct {
	lang language
	want string
	in   []string // all of these are the same function
}{
	{javaScript, "add", []string{"add", "Object.add", "Cart.prototype.add", "async Cart.add", "async add", "new add",
		"Cart.add [as save]",
		"promise callback*add", "async*Cart.add", "outer/add", "outer/this.add", "get add", "a.b.c.add"}},
	{javaScript, "", []string{"", "?", "<anonymous>", "Object.<anonymous>", "HTMLDocument.<anonymous>", "Anonymous function",
		"test/<", "a/b/<", "eval", "eval code", "global code", "null.<anonymous> [as go]", "Object.1234", "Cart.<computed>", "async*",
		"<anonymous function>", "wasm-function[42]"}},
	{javaScript, "all", []string{"Promise.all (index 0)", "Promise.all (index 17)", "async Promise.all"}},
	{javaScript, "cart.js", []string{"Object../src/cart.js", "./src/cart.js", "Module../other/Cart.3f2a1b.js"}},
	{javaScript, "#save", []string{"Cart.#save"}},
	{javaScript, "", []string{"new <anonymous>", "bound anonymous"}},
	{javaScript, "$a_b", []string{"$a_b"}},

	{jvm, "com.example.Cart", []string{"com.example.Cart", "app//com.example.Cart", "com.example.Cart$$EnhancerBySpringCGLIB$$1ebdddb0",
		"com.example.Cart$$SpringCGLIB$$0", "com.example.Cart_$$_javassist_74", "com.example.Cart_$$_jvst1a2_0",
		"com.example.Cart$$FastClassBySpringCGLIB$$12", "com.example.Cart$HibernateProxy$aBc12", "com.example.Cart$MockitoMock$12345",
		"com.example.Cart$$Lambda$14/0x000000080006c840", "com.example.Cart$$Lambda/0x00007f8a",
		"com.example.Cart$auxiliary$Ab12Cd",
		"com.example.Cart$$Lambda$1/1324119927", "com.example.Cart$$Lambda$14/55", "app//com.example.Cart$$Lambda$1/2003749087",
		"com.example.Cart$$ExternalSyntheticLambda3"}},
	{jvm, "java.lang.invoke.LambdaForm$MH", []string{"java.lang.invoke.LambdaForm$MH/1324119927", "java.lang.invoke.LambdaForm$MH/0x01",
		"java.lang.invoke.LambdaForm$MH/55", "java.base/java.lang.invoke.LambdaForm$MH7"}},
	{jvm, "lambda$main$", []string{"lambda$main$0", "lambda$main$12"}},
	{jvm, "com.example.CartKt$run$", []string{"com.example.CartKt$run$1", "com.example.CartKt$run$2"}},
	{jvm, "shop.core$_main$fn__", []string{"shop.core$_main$fn__1539"}},
	{jvm, "shop.core$_main$fn__$fn__", []string{"shop.core$_main$fn__1539$fn__1540"}},
	{jvm, "sun.reflect.GeneratedMethodAccessor",
		[]string{"sun.reflect.GeneratedMethodAccessor12", "sun.reflect.GeneratedMethodAccessor3"}},
	{jvm, "com.sun.proxy.$Proxy", []string{"com.sun.proxy.$Proxy45"}},
	{jvm, "jdk.proxy.$Proxy", []string{"jdk.proxy2.$Proxy45", "jdk.proxy3.$Proxy1"}},
	{jvm, "Script._run_closure", []string{"Script._run_closure1", "Script._run_closure2"}},
	{jvm, "Script", []string{"Script1", "Script22"}},
	{jvm, "script", []string{"script16789012345678", "script99789012345678"}},
	{jvm, "script2", []string{"script2"}},
	{jvm, "com.example.Script2", []string{"com.example.Script2"}},
	{jvm, "org.spark.GeneratedClass$GeneratedIteratorForCodegenStage", []string{
		"org.spark.GeneratedClass$GeneratedIteratorForCodegenStage1", "org.spark.GeneratedClass$GeneratedIteratorForCodegenStage12"}},
	{jvm, "com.example.Base64", []string{"com.example.Base64"}},
	{jvm, "Array2D.copy_4x4", []string{"Array2D.copy_4x4"}},
	{jvm, "access$", []string{"access$000", "access$100"}},

	{php, `App\Cart::add`, []string{`App\Cart::add`, `\App\Cart::add`}},
	{php, `class@anonymous::handle`,
		[]string{"class@anonymous\x00/srv/a/b.php:12$0::handle", "class@anonymous/home/x/b.php:99$3a::handle"}},
	{php, `App\Job@anonymous`, []string{"App\\Job@anonymous\x00/srv/a/b.php:12$0"}},
	{php, `App\Cart::{closure}`, []string{`App\Cart::{closure}`, `App\Cart::{closure:App\Cart::add():12}`,
		`App\Cart::{closure:{closure:/srv/a.php:3}:12}`}},
	{php, `__TwigTemplate_::doDisplay`, []string{"__TwigTemplate_0a1b2c3d4e5f60718293a4b5c6d7e8f9::doDisplay",
		"__TwigTemplate_ffffffffffffffff0000000000000000::doDisplay"}},
	{php, "content_", []string{"content_5f3e1c2a3b4c57_12345678", "content_60aa1c2a3b4c5d6e_87654321"}},
	{php, "Block_::callBlock", []string{"Block_9312481765f3e1c2a3b4c57_12345678::callBlock"}},
	{php, "decode_base64_2024", []string{"decode_base64_2024"}},

	{ruby, "save", []string{"save", "block in save", "block (2 levels) in save", "rescue in block in save", "ensure in save",
		"Cart#save", "block in Shop::Cart#save", "Cart.save"}},
	{ruby, "<top (required)>", []string{"<top (required)>"}},
	{ruby, "<class:Cart>", []string{"<class:Cart>", "block in <class:Cart>"}},
	{ruby, "_conditional_callback_around_", []string{"_conditional_callback_around_233", "block in _conditional_callback_around_7"}},
	{ruby, "_app_views_carts_show_html_erb_", []string{"_app_views_carts_show_html_erb___3870274398_70231",
		"_app_views_carts_show_html_erb__12_8"}},
	{ruby, "step_2", []string{"step_2"}},
	{ruby, "==", []string{"==", "Cart#=="}},

	{python, "Cart.add", []string{"Cart.add"}},
	{python, "timed.wrapper", []string{"timed.<locals>.wrapper"}},
	{python, "<lambda>", []string{"<lambda>"}},

	{elixir, "Shop.Cart.add/2", []string{"Shop.Cart.add/2", "anonymous fn/1 in Shop.Cart.add/2", "Elixir.Shop.Cart.add/2"}},
	{elixir, "add/2", []string{"-add/2-fun-0-", "-add/2-fun-3-", "add/2"}},
	{dart, "Cart.add", []string{"Cart.add", "Cart.add.<anonymous closure>", "Cart.add.<fn>.<fn>"}},
	{perl, "Shop::__ANON__", []string{"Shop::__ANON__[/srv/a.pl:12]", "Shop::__ANON__"}},
	{unknownLanguage, "anything at 1", []string{"anything at 1"}},
}

func TestFunctionNames(t *testing.T) {
	t.Parallel()
	for _, tt := range functionNamesCases {
		t.Run(tt.want, func(t *testing.T) {
			for _, in := range tt.in {
				require.Equal(t, tt.want, string(tt.lang.appendFunction(nil, in)), "of %q", in)
			}
		})
	}
}

var nativeFunctionNamesCases = []struct {
	want string
	in   []string
}{
	{"shop::cart::add", []string{"shop::cart::add", "shop::cart::add::h0123456789abcdef", "shop::cart::add::hfedcba9876543210",
		"shop::cart::add<i32>", "shop::cart::add::<alloc::vec::Vec<u8>>"}},
	{"shop::run::{closure}", []string{"shop::run::{{closure}}::h0123456789abcdef", "shop::run::{closure#0}",
		"shop::run::{{closure}}::{{closure}}", "shop::run::{closure_env#3}"}},
	{"_ZN4shop3run", []string{"_ZN4shop3run17h0123456789abcdefE", "_ZN4shop3run17h00000000000000ffE.llvm.123456"}},
	{"<shop::Cart as core::fmt::Display>::fmt",
		[]string{"<shop::Cart as core::fmt::Display>::fmt", "<shop::Cart as core::fmt::Display>::fmt::h0123456789abcdef"}},
	{"<F as core::ops::FnOnce<fn() -> T>>::call", []string{"<F as core::ops::FnOnce<fn() -> T>>::call"}},
	{"core::<impl Add for u8>::add", []string{"core::<impl Add for u8>::add"}},
	{"alloc::Vec::push", []string{"alloc::Vec<T>::push", "alloc::Vec::<T>::push"}},

	{"Shop::Cart::add", []string{"Shop::Cart::add(int, char const*)", "Shop::Cart::add(std::vector<int> const&) const",
		"void Shop::Cart::add<int>(int)",
		"Shop::Cart::add(int) [clone .cold]", "Shop::Cart<int>::add", "non-virtual thunk to Shop::Cart::add(int)",
		"static Shop::Cart::add(int)"}},
	{"(anonymous namespace)::start", []string{"(anonymous namespace)::start()", "`anonymous namespace'::start(int)",
		"(anonymous namespace)::start"}},
	{"(anonymous namespace)::crash", []string{"?A0xc3a0617d::crash", "?A0xffffffff::crash(int)", "(anonymous namespace)::crash"}},
	{"shop::(anonymous namespace)::crash", []string{"shop::?A0xc3a0617d::crash"}},
	{"?A0xc3a0::crash", []string{"?A0xc3a0::crash"}},
	{"Shop::run::{lambda}::operator()", []string{"Shop::run(int)::{lambda(int)#1}::operator()(int) const",
		"Shop::run(int)::{lambda(char)#2}::operator()(char) const"}},
	{"Shop::run::$_::operator()", []string{"Shop::run()::$_0::operator()(int) const", "Shop::run()::$_12::operator()(int) const"}},
	{"<lambda>::operator()", []string{"<lambda_5db80dab47756d3e72c2dcd38b80b1dd>::operator()",
		"<lambda_00000000000000000000000000000000>::operator()(int)"}},
	{"Cart::operator<<", []string{"Cart::operator<<(std::ostream&)", "Cart& Cart::operator<<(int)"}},
	{"Cart::operator new", []string{"Cart::operator new(unsigned long)"}},
	{"Cart::operator()", []string{"Cart::operator()(int) const"}},
	{"Cart::operator", []string{"Cart::operator"}},
	{"operator bool", []string{"operator bool"}},
	{"ns::[weird", []string{"ns::[weird"}},
	{"`open", []string{"`open"}},
	{"-[Cart", []string{"-[Cart"}},
	{"App.Cart.add", []string{"(extension in Shop):App.Cart.add(_:)"}},
	{"my_operator", []string{"my_operator(int)", "my_operator"}},
	{"memcpy", []string{"memcpy", "memcpy@plt", "memcpy@@GLIBC_2.14", "memcpy.cold.1", "memcpy.part.3.cold", "memcpy.constprop.0",
		"memcpy+0x1f"}},
	{"name", []string{"std::string[abi:cxx11] name(int)"}},

	{"-[Cart add:to:]", []string{"-[Cart add:to:]", "__12-[Cart add:to:]_block_invoke", "__15-[Cart add:to:]_block_invoke_2",
		"___22-[Cart add:to:]_block_invoke.44"}},
	{"+[Cart shared]", []string{"+[Cart shared]"}},
	{"add_to_cart", []string{"__add_to_cart_block_invoke_3", "__add_to_cart_block_invoke"}},
	{"Cart.add", []string{"Cart.add(_:to:)", "closure #1 in Cart.add(_:to:)",
		"closure #2 (Swift.Int) -> () in closure #1 in Cart.add(_:) -> ()",
		"@objc Cart.add(_:)", "partial apply forwarder for Cart.add(_:)", "specialized Cart.add(_:)",
		"(2) suspend resume partial function for Cart.add(_:)",
		"generic specialization <Swift.Int> of Cart.add<A>(A) -> ()", "static Cart.(add in _0A1B2C3D4E5F)(_:)",
		"implicit closure #1 in Cart.add(_:)"}},
	{"", []string{"", "<unknown>", "<redacted>", "0x7fff5fbff8c0", "___lldb_unnamed_symbol123", "???"}},
	{"_main", []string{"_main"}},
}

func TestNativeFunctionNames(t *testing.T) {
	t.Parallel()
	for _, tt := range nativeFunctionNamesCases {
		t.Run(tt.want, func(t *testing.T) {
			for _, in := range tt.in {
				require.Equal(t, tt.want, string(native.appendFunction(nil, in)), "of %q", in)
			}
		})
	}
}

func TestQualifiedNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lang language
		want string
		in   [][2]string // module and function
	}{
		{goLang, "main.run", [][2]string{{"main", "run"}, {"", "main.run"}, {"main", "run-fm"}, {"main", "run[...]"},
			{"main", "run[go.shape.int]"}}},
		{goLang, "main.run.func", [][2]string{{"main", "run.func1"}, {"main.run", "func3"}, {"main.run.func1", "2"},
			{"main", "run.func2.1"},
			{"main", "run.func1.gowrap2"}, {"main", "run.deferwrap1"}, {"main", "run.func1-range2"}, {"main", "run[...].func1"}}},
		{goLang, "github.com/acme/shop/cart.(*Cart).Add",
			[][2]string{{"github.com/acme/shop/cart", "(*Cart).Add"}, {"github.com/acme/shop/cart.(*Cart)", "Add"},
				{"github.com/acme/shop/cart", "(*Cart[...]).Add"}, {"github.com/acme/shop/cart", "(*Cart[go.shape.struct { a/b.C }]).Add"},
				{"example.com/x/vendor/github.com/acme/shop/cart", "(*Cart).Add"}}},

		{dotNet, "Shop.Cart.AddAsync", [][2]string{{"Shop.Cart", "AddAsync"}, {"Shop.Cart+<AddAsync>d__5", "MoveNext"},
			{"Shop.Cart+<AddAsync>d__17`1[T]", "MoveNext"},
			{"Shop.Cart", "async Task<User> AddAsync(int id, List<Foo> b)"}, {"", "Shop.Cart.<AddAsync>d__5.MoveNext()"},
			{"Shop.Cart", "AddAsync<T>(T x)"},
			{"Shop.Cart, Shop, Version=1.2.3.4, Culture=neutral", "AddAsync"}, {"Shop.Cart", "AddAsync (System.Int32 id)"},
			{"Shop.Cart`1", "AddAsync"},
			{"Shop.Cart+<>c", "<AddAsync>b__0_0"}, {"Shop.Cart+<>c__DisplayClass3_0", "<AddAsync>b__1"},
			{"Shop.Cart+<>c+<<AddAsync>b__0_0>d", "MoveNext"},
			{"Shop.Cart", "void AddAsync(string[] args)+() => { }"}, {"Shop.Cart", "static AddAsync"},
			{"Shop.Cart+<>c", "AddAsync { <lambda> }"}}},
		{dotNet, "Shop.Cart.Add.Check", [][2]string{{"Shop.Cart", "<Add>g__Check|0_0"}, {"Shop.Cart", "<Add>g__Check|3_1"},
			{"Shop.Cart+<<Add>g__Check|0_0>d", "MoveNext"}, {"", "bool Shop.Cart.Add((int, Func<int>) x)+Check(int y)"},
			{"", "async Task<bool> Shop.Cart.Add(int x)+Check<T>(T y)"}, {"Shop.Cart", "void Add(int x)+Check() { <lambda> }"}}},
		{dotNet, "Program.Main.Load", [][2]string{{"Program", "<<Main>$>g__Load|0_0"}, {"Program", "<<Main>$>g__Load|0_3"},
			{"Program+<<<Main>$>g__Load|0_0>d", "MoveNext"}, {"", "Program.<<Main>$>g__Load|0_0(Int32 y)"},
			{"", "void Program.<Main>$(string[] args)+Load(int y)"}}},
		{dotNet, "Program.Main", [][2]string{{"Program", "<Main>$"}, {"Program+<<Main>$>d__0", "MoveNext"}, {"Program+<>c", "<<Main>$>b__0_1"},
			{"", "void Program.<Main>$(string[] args)+(int y) => { }"}, {"", "void Program.<Main>$(string[] args)+("},
			{"", "void Program.<Main>$(string[] args)+x"}, {"", "void Program.<Main>$(string[] args)"}}},
		{dotNet, "Shop.Cart.ctor", [][2]string{{"Shop.Cart", ".ctor"}, {"Shop.Cart+<>c", "<.ctor>b__2_0"}}},
		{dotNet, "lambda_method", [][2]string{{"", "lambda_method(Closure , Object )"}, {"", "lambda_method123(Closure)"}}},
		{dotNet, "Shop.Iter.MoveNext", [][2]string{{"Shop.Iter", "MoveNext"}}},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			for _, in := range tt.in {
				require.Equal(t, tt.want, string(tt.lang.appendQualified(nil, in[0], in[1])), "of %q", in)
			}
		})
	}
}

func TestTypeNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ValueError": "ValueError", "System.Collections.Fault`1[[System.Int32]]": "System.Collections.Fault",
		"*app.NotFound[go.shape.int]": "*app.NotFound",
		"[]string":                    "[]string", "class@anonymous\x00/srv/a.php:12$0": "class@anonymous", "bob@host": "bob@host",
		"#<Class:0x00007f8b>":  "#<Class:<num>>",
		"com.a.Outer$NotFound": "com.a.Outer$NotFound", "com.a.Outer$1": "com.a.Outer$", "Fault at 0x7f8b": "Fault at <num>",
		"Two words": "Two words",
	} {
		t.Run(in, func(t *testing.T) {
			require.Equal(t, want, simplifyType(in))
		})
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]language{
		"a.js": javaScript, "/x/a.vue": javaScript, "A.java": jvm, "A.kt": jvm, "a.go": goLang, "a.py": python, "a.php": php,
		"a.html.erb": ruby,
		"a.cs":       dotNet, "a.rs": native, "a.swift": native, "a.ex": elixir, "a.dart": dart, "a.pm": perl, "a.unknown": unknownLanguage,
		"a": unknownLanguage,
	} {
		t.Run(file, func(t *testing.T) {
			frame := &core.Frame{Filename: core.Untrusted(file)}

			require.Equal(t, want, languageOfPlatform("other").ofFrame(frame))
			require.Equal(t, ruby, languageOfPlatform("ruby").ofFrame(frame))
		})
	}
	require.Equal(t, jvm, languageOfPlatform("javascript").ofFrame(&core.Frame{AbsPath: "Cart.kt"}), "React Native")
	for platform, want := range map[string]language{"node": javaScript, "android": jvm, "fsharp": dotNet, "cocoa": native,
		"erlang": elixir, "flutter": dart, "perl": perl, "": unknownLanguage} {
		t.Run(platform, func(t *testing.T) {
			require.Equal(t, want, languageOfPlatform(platform))
		})
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lang language
		want string
		in   []string
	}{
		{javaScript, "app.js", []string{"app.js", "/static/app.js", "app:///App.js?v=3", "app.3f2a1b.js", "app-9c8d7e6f.js",
			"app.1.2.3.js", "app_0a1b2c3d4e5f.js",
			"app~3f2a1b.js", "app-550e8400-e29b-41d4-a716-446655440000.js", `C:\www\app.js`, "app-B3kd92Xa.js", "app.js?a=/b/c"}},
		{javaScript, ".chunk.js", []string{"123.chunk.js", "7.3f2a1b.chunk.js"}},
		{javaScript, "jquery.min.js", []string{"jquery-3.6.0.min.js", "jquery-3.7.1.min.js"}},
		{javaScript, "settings.js", []string{"Settings.js"}},
		{javaScript, "angular2.js", []string{"angular2.js"}},
		{python, "views.py", []string{"views.py", "/home/a/app/views.py", "/srv/releases/20240101/app/views.py", `C:\app\Views.py`}},
		{python, "0001_initial.py", []string{"0001_initial.py"}},
		{python, "test_2.py", []string{"test_2.py"}},
		{python, "<ipython-input>", []string{"<ipython-input-5-1a2b3c4d5e6f>", "<ipython-input-12-ffeeddccbb11>"}},
		{python, "<string>", []string{"<string>"}},
		{php, ".php", []string{"storage/framework/views/0a1b2c3d4e5f60718293.php"}},
		{php, "cart.php", []string{"/srv/cart.php(12) : eval()'d code", "cart.php"}},
		{ruby, "_create_carts.rb", []string{"20240101120000_create_carts.rb", "20230101120000_create_carts.rb"}},
		{ruby, "cart.rb", []string{"/srv/app/models/cart.rb", `C:\app\models\cart.rb`, "cart.rb", "./Cart.rb", "file:///srv/app/cart.rb",
			"<internal:/usr/lib/cart.rb", "(eval at /srv/app/cart.rb:12)", "(eval at cart.rb:99)"}},
		{ruby, "app/models/cart.rb", []string{"app/models/cart.rb", `app\models\Cart.rb`, "./app/models/cart.rb", "../app//models/cart.rb",
			"20240101120000/app/models/cart.rb", "7.0/app/models/cart.rb"}},
		{ruby, "releases/app/cart.rb", []string{"releases/20240101120000/app/cart.rb", "releases/a94a8fe5ccb19ba6/app/cart.rb",
			"releases/0a1b2c3/app/cart.rb", "releases/v1.2.3/app/cart.rb", "releases/42/app/cart.rb", "releases/2.0/app/cart.rb",
			"releases/550e8400-e29b-41d4-a716-446655440000/app/cart.rb"}},
		{ruby, "gems/rack/lib/rack.rb", []string{"gems/rack-3.0.8/lib/rack.rb", "gems/rack-2.2.6.4/lib/rack.rb",
			"gems/rack-0a1b2c3d4e5f/lib/rack.rb"}},
		{ruby, "api/v1/carts.rb", []string{"api/v1/carts.rb"}},
		{ruby, "", []string{"?", "<unknown>", "app/", "(eval at "}},
		{unknownLanguage, "enemies/spawn.gd", []string{"res://enemies/spawn.gd", "res://Enemies/spawn.gd"}},
		{unknownLanguage, "spawn.gd", []string{"enemies/spawn.gd", "user://enemies/spawn.gd"}},
		{native, "libshop.so", []string{"/usr/lib/libshop.so.1.2.3", "libshop.so.1.3.0"}},
		{python, "", []string{"", "?", "<unknown>", "/"}},
		{javaScript, "", []string{"eval at <anonymous> (https://a.example/b.js:1:2), <anonymous>",
			"eval at add (/app/cart.js:12:3), <anonymous>"}},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			for _, in := range tt.in {
				require.Equal(t, tt.want, string(appendFileName(nil, in, tt.lang)), "of %q", in)
			}
		})
	}
}

func TestBrowserWordings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want string
		in   []string
	}{
		{"read id", []string{"Cannot read properties of undefined (reading 'id')", "Cannot read property 'id' of null",
			"can't access property \"id\", user is undefined",
			"undefined is not an object (evaluating 'user.id')", "null is not an object (evaluating 'a.b(c).id')",
			"Unable to get property 'id' of undefined or null reference",
			"Cannot set properties of undefined (setting 'id')", "undefined is not an object (evaluating 'user.id = 1')",
			"undefined is not an object (evaluating 'user.id(3)')"}},
		{"read ", []string{"Cannot read properties of undefined"}},
		{"call save", []string{"cart.save is not a function", "(intermediate value).save is not a function",
			"cart.save is not a function. (In 'cart.save()', 'cart.save' is undefined)",
			"undefined is not a function (evaluating 'cart.save()')", "Object doesn't support property or method 'save'",
			"save is not a function"}},
		{"missing cart", []string{"cart is not defined", "Can't find variable: cart", "'cart' is not defined"}},
		{"fetch failed", []string{"Failed to fetch", "Load failed", "NetworkError when attempting to fetch resource."}},
		{endlessRecursion, []string{"Maximum call stack size exceeded", "Maximum call stack size exceeded.", "too much recursion"}},
		{"not JSON", []string{"Unexpected token < in JSON at position 0", `Unexpected token '<', "<!DOCTYPE "... is not valid JSON`,
			"JSON.parse: unexpected character at line 1 column 1 of the JSON data", "JSON Parse error: Unrecognized token '<'"}},
		{"JSON ends early",
			[]string{"Unexpected end of JSON input", "JSON.parse: unexpected end of data at line 1 column 1 of the JSON data",
				"JSON Parse error: Unexpected EOF"}},
		{"import failed", []string{"Failed to fetch dynamically imported module: https://a.example/b.js",
			"error loading dynamically imported module: https://a.example/b.js", "Importing a module script failed."}},
		{"resize loop", []string{"ResizeObserver loop limit exceeded", "ResizeObserver loop completed with undelivered notifications."}},
		{"", []string{"", "boom", "the thing is not a function", "Unexpected token <", "this one is not defined"}},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			for _, in := range tt.in {
				got, found := unifyBrowserWording(in)

				require.Equal(t, tt.want, got, "of %q", in)
				require.Equal(t, tt.want != "", found, "of %q", in)
			}
		})
	}
}
