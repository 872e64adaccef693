package scrub

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// textCase is a text and its scrubbed form, with * for the mask.
type textCase struct{ in, out string }

func maskStars(s string) string { return strings.ReplaceAll(s, "*", Mask) }

func requireTexts(t *testing.T, scrub func(string) string, tests []textCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			got := scrub(tt.in)
			require.Equal(t, maskStars(tt.out), got)
			require.Equal(t, got, scrub(got), "scrubbing twice is scrubbing once")
		})
	}
}

// requireUnchanged holds that texts without a secret stay as they are.
func requireUnchanged(t *testing.T, scrub func(string) string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, text, scrub(text))
		})
	}
}

// scrubCode scrubs a line of source code by the default rules.
func scrubCode(line string) string {
	return (&cleaner{rules: DefaultRules()}).scrubText(line, true)
}

func TestNamesInTexts(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"login failed password=hunter2", "login failed password=*"},
		{"login failed password=hunter2, user=bob", "login failed password=*, user=bob"},
		{"password: hunter2 for bob", "password: * for bob"},
		{"password = hunter2", "password = *"},
		{"PASSWORD:hunter2", "PASSWORD:*"},
		{"password==hunter2 pwd:=x9 secret=>y8", "password==* pwd:=* secret=>*"},
		{`password="two words" x=1`, `password="*" x=1`},
		{`password='it''s'`, `password='*'`},
		{`password="it \" goes on" x`, `password="*" x`},
		{`password="cut off`, `password="*`},
		{`{"password":"x","user":"bob"}`, `{"password":"*","user":"bob"}`},
		{`{"user":{"name":"bob","apiKey":"x"}}`, `{"user":{"name":"bob","apiKey":"*"}}`},
		{`{"credentials":{"a":"b","c":[1,{"d":"}"}]},"user":"bob"}`, `{"credentials":*,"user":"bob"}`},
		{`{"pin": 1234, "n": 5}`, `{"pin": *, "n": 5}`},
		{`{"token": ["a","b"], "n": 5}`, `{"token": *, "n": 5}`},
		{`{"password": null, "secret": "", "token": {}}`, `{"password": null, "secret": "", "token": {}}`},
		{`{\"password\":\"a\\\"b\",\"user\":\"bob\"}`, `{\"password\":\"*\",\"user\":\"bob\"}`},
		{`{'password': b'x', 'user': u'bob'}`, `{'password': b'*', 'user': u'bob'}`},
		{`{:password=>"x", :user=>"bob"}`, `{:password=>"*", :user=>"bob"}`},
		{`[password] => hunter2`, `[password] => *`},
		{`User{password=abc, name=x}`, `User{password=*, name=x}`},
		{`&{Password:hunter2 Name:bob}`, `&{Password:* Name:bob}`},
		{`auth=('user', 'pass'), timeout=3`, `auth=*, timeout=3`},
		{"a=1&token=abc&b=2", "a=1&token=*&b=2"},
		{"https://example.com/?token=abc&b=2#c", "https://example.com/?token=*&b=2#c"},
		{"https://example.com/?b=2&amp;access_token=abc&amp;c=3", "https://example.com/?b=2&amp;access_token=*&amp;c=3"},
		{"user[password]=x&user[name]=y", "user[password]=*&user[name]=y"},
		{"%70assword=foo&x=1", "%70assword=*&x=1"},
		{"user%5Bpassword%5D=foo&x=1", "user%5Bpassword%5D=*&x=1"},
		{"next=%2Flogin%3Ftoken%3Dabc%26x%3D1", "next=%2Flogin%3Ftoken%3D*%26x%3D1"},
		{"%7B%22password%22%3A%22hunter%202%22%2C%22a%22%3A1%7D", "%7B%22password%22%3A%22*%22%2C%22a%22%3A1%7D"},
		{"Server=x;Password=a;b)c;Database=db", "Server=x;Password=*;Database=db"},
		{"password=a,b&c)d]e", "password=*"},
		{"(password=abc)", "(password=*)"},
		{"call(password=abc).then()", "call(password=*).then()"},
	})
}

func TestNotationsOfSecretNames(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"pass\u200bword=abc", "password=*"},
		{"\x1b[1mpassword\x1b[0m=abc", "password=*"},
		{"Authorization: Bearer abc", "Authorization: *"},
		{"authorization=Bearer abc x", "authorization=* x"},
		{"GET /\nCookie: a=b; c=d\nHost: x", "GET /\nCookie: *\nHost: x"},
		{`GET /\r\nSet-Cookie: a=b; c=d\r\nHost: x`, `GET /\r\nSet-Cookie: *\r\nHost: x`},
		{`Authorization: Digest username="bob", response="6629fae4"` + "\nx", "Authorization: *\nx"},
		{`curl -H "Authorization: Bearer abcdef" -H 'Cookie: a=b; c=d' https://x`, `curl -H "Authorization: *" -H 'Cookie: *' https://x`},
		{"run --password hunter2 --verbose --api-key=k9 -v", "run --password * --verbose --api-key=* -v"},
		{"<user>bob</user><password>hunter2</password>", "<user>bob</user><password>*</password>"},
		{"<ns:ApiKey type=\"x\"><![CDATA[abc]]></ns:ApiKey>", "<ns:ApiKey type=\"x\">*</ns:ApiKey>"},
		{"<ApiKey><![CDATA[ab<c]]></ApiKey>", "<ApiKey>*</ApiKey>"},
		{"form-data; name=\"password\"\n\nhunter2\n--x\nform-data; name=\"a\"\n\nb",
			"form-data; name=\"password\"\n\n*\n--x\nform-data; name=\"a\"\n\nb"},
		{"API key: abc-123", "API key: *"},
		{"credit card number: 9912", "credit card number: *"},
		{"UPDATE users SET password='x' WHERE token = 'abc' AND id = 5", "UPDATE users SET password='*' WHERE token = '*' AND id = 5"},
		{"token: abc123", "token: *"},
		{"session: 9f8e7d", "session: *"},
		{"token:123456, pin:1234", "token:*, pin:*"},
		{"user.secret.id:123456789", "user.secret.id:*"},
		{`{"session":12345}`, `{"session":*}`},
	})
}

func TestProseStays(t *testing.T) {
	t.Parallel()
	requireUnchanged(t, DefaultRules().ScrubText,
		"", "a", "connection refused", "auth: failed to connect", "token: expired", "Session: not found", "Unexpected token: <",
		"AuthError: invalid token", "TokenExpiredError: jwt expired", "InvalidPasswordException: The password is wrong", "SecretNotFound: db",
		"session.go:12: panic", "dial tcp auth-service:8080: refused", "session:6379", "jdbc:postgresql://host/db", "at auth.js:10:5",
		"src/token/session.rb:45:in `call'", "std::session::Auth::new", "App\\Auth\\Token::check",
		"the password is wrong", "bad token for user: bob", "invalid password, user: bob", "key: value", "author=bob; tokenizer: fast",
		"max_tokens=4096, token_type=Bearer, session_count: 3", "password=null token=None secret=undefined", "password=", "password: ",
		"password:",
		"bearer token missing", "basic authentication failed", "Basic HTTP auth", "12:30:45.123", "https://example.com:8080/a/b?c=d#e",
		"postgres:///path",
		"user@example.com", "mailto:a@b.c", "git@github.com:a/b.git", "<token>", "a <session> was lost", "C:\\Users\\token",
		"x = y == z", "{}", "===", "::::",
		"5% off, 100%", "SELECT 1 FROM users WHERE token = $1 AND password = ? AND secret=%s", "%zz%3", "--verbose --all",
		"2026-11-03 10:20:30 --- [main] INFO",
	)
}

func TestSourceCode(t *testing.T) {
	t.Parallel()
	requireTexts(t, scrubCode, []textCase{
		{`const password = "hunter2";`, `const password = "*";`},
		{`  password: str = "hunter2",`, `  password: str = "*",`},
		{`  private password: string = 'x'`, `  private password: string = '*'`},
		{`connect(host="h", password='x', port=1)`, `connect(host="h", password='*', port=1)`},
		{`if (token === "abc") {`, `if (token === "*") {`},
		{`os.environ["API_KEY"] = "abc"`, `os.environ["API_KEY"] = "*"`},
		{`auth=('user', 'pass'), timeout=3`, `auth=('*', '*'), timeout=3`},
		{`PASSWORD=hunter2`, `PASSWORD=*`},
		{`fetch("https://x/?token=abc&b=1")`, `fetch("https://x/?token=*&b=1")`},
		{`fetch("https://u:p@x/")`, `fetch("https://*@x/")`},
		{`h = {"Authorization": "Bearer " + t}`, `h = {"Authorization": "*" + t}`},
		{`key = "ghp_0123456789abcdefghij0123456789abcdef"`, `key = "*"`},
		{`curl("-H", "Cookie: a=b")`, `curl("-H", "Cookie: *")`},
	})
	requireUnchanged(t, scrubCode,
		`token = request.headers["X-Token"]`, `def login(self, password: str) -> Session:`, `password = user.password`,
		`const token = await getToken();`,
		`session = Session()`, `this.auth = auth;`, `auth: AuthService,`, `if password == confirmation:`,
		`token := r.Header.Get("Authorization")`,
		`return {token, user: session.user}`, `secret: process.env.SECRET,`, `password=None`, `cookies = dict()`,
		`match session { Some(s) => s.token }`,
	)
}

func TestControlCharactersDoNotHide(t *testing.T) {
	t.Parallel()
	for _, gap := range []string{"\u200b", "\x00", "\u202e", "\u2066", "\ufeff", "\u00ad", "\x1b[0m", "\u200d", "\U000e0041", "\x7f"} {
		require.Equal(t, "pwd=[Filtered]", DefaultRules().ScrubText("pw"+gap+"d=hunter2"))
		require.Equal(t, "[Filtered]", DefaultRules().ScrubText("ghp_0123456789abc"+gap+"defghij0123456789"))
		require.Equal(t, "[Filtered]", DefaultRules().ScrubText("4111 1111"+gap+" 1111 1111"))
	}
}
