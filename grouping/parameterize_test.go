package grouping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var parameterizeCases = []struct{ in, want string }{
	{"", ""},
	{"plain text stays", "plain text stays"},
	{"  much \t white\r\n space ", "much white space"},

	{"order 42 failed after 3 tries", "order <num> failed after <num> tries"},
	{"took 350ms, 1.5s or 1h2m3.5s", "took <num> or <num>"},
	{"1,234,567.89 rows (12%)", "<num> rows (<num>)"},
	{"offset -5, +7", "offset <num>"},
	{"a-5 b", "a-<num> b"},
	{"range 5-10", "range <num>-<num>"},
	{"1e-9 and 2.5E+10", "<num> and <num>"},
	{"version 1.2.3-rc1", "version <num>-rc<num>"},
	{"the 3rd 5xx", "the <num>rd <num>xx"},
	{"10MB of 5GiB", "<num> of <num>"},
	{"id=77&x=8", "id=<num>&x=<num>"},
	{"#12: (3) [4] {5}", "#<num>: (<num>) [<num>] {<num>}"},
	{"not in [1, 2, 3]", "not in [<num>]"},
	{"keys (7,8,9)", "keys (<num>)"},
	{"user123 on node-7", "user<num> on node-<num>"},
	{"pool-1-thread-12", "pool-<num>-thread-<num>"},

	{"at 0x7f3a9c0010 in 0XFF", "at <num> in <num>"},
	{"commit a94a8fe", "commit <num>"},
	{"sha da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha <num>"},
	{"cus_J8kd92kd not found", "cus_<num> not found"},
	{"pod api-7d4b9c6f5-x2k9p", "pod api-<num>-<num>"},
	{"com.example.Cart@1b6d3586, [I@beef", "com.example.Cart@<num>, [I@<num>"},
	{"<app.Cart object at 0x10a3c>", "<app.Cart object at <num>>"},
	{"mac 0a:1b:2c:3d:4e:5f up", "mac <num> up"},
	{"id 550e8400-e29b-41d4-a716-446655440000", "id <uuid>"},
	{"user-550e8400-e29b-41d4-a716-446655440000.json", "user-<uuid>.json"},

	{"2024-01-31", "<time>"},
	{"at 2024-01-31T22:31:45.123Z!", "at <time>!"},
	{"at 2024-01-31 22:31:45,123 [x]", "at <time> [x]"},
	{"2024-01-31T22:31:45+01:00 late", "<time> late"},
	{"2024-01-02 03:04:05.123 +0000 UTC m=+0.01 x", "<time> x"},
	{"31/Jan/2024:22:31:45 +0000", "<time>"},
	{"Wed, 31 Jan 2024 22:31:45 GMT", "<time>"},
	{"Wed Jan 31 22:31:45 2024: down", "<time>: down"},
	{"January 31, 2024 at noon", "<time> at noon"},
	{"20240131T223145Z", "<time>"},
	{"31.01.2024 10:11 and 1/2/2024", "<time> and <time>"},
	{"Mon, 2 Jan 2006 15:04:05 -0700 (MST)", "<time> (MST)"},
	{"at 10:11 or 12:13:14 PM", "at <num>:<num> or <time>"},
	{"Jan  2 03:04:05 host", "<time> host"},
	{"2 Jan 2024, 10:11 host Janus", "<time> host Janus"},
	{"Monday morning, Sat by 5, Jan 500, Mar x, 5 May", "Monday morning, Sat by <num>, Jan <num>, Mar x, <num> May"},
	{"2024-01 and 12-34-56 and 1.2.30", "<num>-<num> and <num>-<num>-<num> and <num>"},
	{"since 22:31:45", "since <time>"},
	{"app.js:10:15", "app.js:<num>:<num>"},
	{"May be late", "May be late"},
	{"Sun is 5 up", "Sun is <num> up"},

	{"connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED <ip>"},
	{"from 10.0.0.0/8.", "from <ip>."},
	{"::1 and 2001:db8::8a2e:370:7334", "<ip> and <ip>"},
	{"[::1]:8080", "[<ip>]:<num>"},
	{"std::ptr::read", "std::ptr::read"},
	{"dead::beef::x", "dead::beef::x"},

	{"no user bob@example.com", "no user <email>"},
	{"mailto:a.b+c@mail.example.org, ok", "mailto:<email>, ok"},
	{"a@b, a@b.c, a@b.c1, a b@c!d.com", "a@b, a@b.c, a@b.c<num>, a b@c!d.com"},
	{"@scope/pkg@1.2.3", "@scope/pkg@<num>"},

	{"GET https://bob:pw@api.example.com:8443/users/42/posts?x=1#y failed",
		"GET https://api.example.com:<num>/users/<num>/posts failed"},
	{"cause:https://a.example/7?x=y (s3://b/8)", "cause:https://a.example/<num> (s<num>://b/<num>)"},
	{`\\:// and :// and 1://x`, `\\:// and :// and <num>://x`},
	{"import file:///tmp/a/b.mjs failed", "import <path> failed"},
	{"(see http://10.1.2.3/a)", "(see http://<ip>/a)"},
	{"GET /api/users/42 failed", "GET /api/users/<num> failed"},

	{"GET /users/john.doe and DELETE /a/b.json", "GET /users/john.doe and DELETE /a/b.json"},
	{"/orders/a.b-c x", "/orders/a.b-c x"},
	{"no route /app/orders/7", "no route /app/orders/<num>"},

	{"open /tmp/upload-a1/b.txt: no such file", "open <path>: no such file"},
	{"open ./test.txt: gone", "open <path>: gone"},
	{`in C:\Users\bob\a.txt, line 3`, "in <path>, line <num>"},
	{`in C:\Program Files\App One\a.txt gone`, "in <path> gone"},
	{"/srv/app/main.py:12", "<path>"},
	{"/lib/App/Cart.pm line 3", "<path> line <num>"},
	{"and/or text/html", "and/or text/html"},
	{"1 / 2", "<num> / <num>"},

	{"user 'bob' is not \"admin\"", "user <str> is not <str>"},
	{"can't find bob's `cart`", "can't find bob's <str>"},
	{"one of 'a', 'b', 'c'", "one of <str>"},
	{"b'raw' and u'x'", "<str> and <str>"},
	{"'user_id'", "user_id"},
	{`{"error":"gone","code":5}`, `{"error":<str>,"code":<num>}`},
	{"he said 'this is a long sentence 5' twice", "he said 'this is a long sentence <num>' twice"},
	{"unclosed 'quote 'of 5", "unclosed 'quote 'of <num>"},
	{`a 'quo\'te' b 'x`, "a <str> b 'x"},
	{"b '" + strings.Repeat("x", 600) + "'", "b '" + strings.Repeat("x", 600) + "'"},
	{"5e and 5e3 and 12em", "<num>e and <num> and <num>em"},
	{"größe 5 日本7", "größe <num> 日本<num>"},
}

func TestParameterize(t *testing.T) {
	t.Parallel()
	for _, tt := range parameterizeCases {
		t.Run(tt.in, func(t *testing.T) {
			require.Equal(t, tt.want, ParameterizeText(tt.in), "of %q")
		})
	}
}
