package scrub

import (
	"strings"
	"testing"

	"errand/core"

	"github.com/stretchr/testify/require"
)

// S stands for a random text in the tests of this file.
const S = "kT7wQz31LmXv9RbNcY5sHdPe"

func TestNotationsOfSecrets(t *testing.T) {
	t.Parallel()
	requireTexts(t, Default().Text, []want{
		{"System.setProperty(\"db.password\", \"" + S + "\");", "System.setProperty(\"db.password\", \"*\");"},
		{`os.Setenv("API_TOKEN", "` + S + `")`, `os.Setenv("API_TOKEN", "*")`},
		{`localStorage.setItem('token', '` + S + `')`, `localStorage.setItem('token', '*')`},
		{`(b'authorization', b'Bearer ` + S + `')`, `(b'authorization', b'*')`},
		{`[('host', 'x'), ('cookie', 'a=` + S + `')]`, `[('host', 'x'), ('cookie', '*')]`},
		{`var dbPassword string = "` + S + `"`, `var dbPassword string = "*"`},
		{`db_token ?= "` + S + `"`, `db_token ?= "*"`},
		{`db_token :::= "` + S + `"`, `db_token :::= "*"`},
		{`$token .= '` + S + `'`, `$token .= '*'`},
		{"CREATE USER bob IDENTIFIED BY '" + S + "'", "CREATE USER bob IDENTIFIED BY '*'"},
		{"INSERT INTO users (name, password) VALUES ('bob', '" + S + "'), ('eve', 'x1')", "INSERT INTO users (name, password) VALUES ('bob', '*'), ('eve', '*')"},
		{"INSERT INTO users (id, password) VALUES (1, '" + S + "')", "INSERT INTO users (id, password) VALUES (1, '*')"},
		{"near 'x': insert into t(a, password)\nvalues\n  (\n  'a',\n 'b'); insert into u(password) values ('c')",
			"near 'x': insert into t(a, password)\nvalues\n  (\n  'a',\n '*'); insert into u(password) values ('*')"},
		{"invalid token '" + S + "'", "invalid token '*'"},
		{"curl -u bob:" + S + " https://x", "curl -u bob:* https://x"},
		{"curl --user bob:" + S + " https://x", "curl --user bob:* https://x"},
		{`curl -u ":` + S + `" https://x`, `curl -u ":*" https://x`},
		{`curl -u "` + S + `:" https://x`, `curl -u "*:" https://x`},
		{`curl --user "bob@x.com:a6@b#c" https://x`, `curl --user "bob@x.com:*" https://x`},
		{`curl --user "bob":"` + S + `" https://x`, `curl --user "bob":"*" https://x`},
		{`curl --user bob:'` + S + `' -iX PATCH`, `curl --user bob:'*' -iX PATCH`},
		{"curl -k -u \\\n  bob:" + S + " https://x", "curl -k -u \\\n  bob:* https://x"},
		{"mysql -u root -p" + S + " -h x", "mysql -u root -p* -h x"},
		{"sshpass -p '" + S + "' ssh x", "sshpass -p '*' ssh x"},
		{"password: |\n  " + S + "\n  second\nuser: bob", "password: |\n  *\nuser: bob"},
		{"password:\n  " + S + "\nuser: bob", "password:\n  *\nuser: bob"},
		{"<password>\n  " + S + "\n</password>", "<password>*</password>"},
		{`<input name="password" value="` + S + `">`, `<input name="password" value="*">`},
		{`{"key": "password", "value": "` + S + `"}`, `{"key": "password", "value": "*"}`},
		{"next=%252Fcb%253Faccess_token%253D" + S + "%2526x", "next=%252Fcb%253Faccess_token%253D*"},
		{"пароль=" + S, "пароль=*"},
		{"p\u0430ssword=" + S, "p\u0430ssword=*"},
		{"key=" + S, "key=*"},
		{"https://x/cb?code=" + S + "&state=1", "https://x/cb?code=*&state=1"},
		{"root:$6$salt$" + S + ":1:0", "root:$6$*:1:0"},
		{"https://x.webhook.office.com/webhookb2/" + S, "https://x.webhook.office.com/webhookb2/*"},
		{"password: str = '" + S + "'", "password: str = '*'"},
		{"password=Pa(ss)word", "password=*"},
		{"password_hint_error=hunter2", "password_hint_error=*"},
	})
}

func TestFilesWithSecrets(t *testing.T) {
	t.Parallel()
	requireTexts(t, Default().Text, []want{
		{"machine api.example.com login bob password S3cr3tWord", "machine api.example.com login bob password *"},
		{"machine h\n  login bob\n  password swordfish\nmachine i password x1 login eve", "machine h\n  login bob\n  password *\nmachine i password * login eve"},
		{`"default login anonymous password swordfish1"`, `"default login anonymous password *"`},
		{`machine h\n\tlogin bob\n\tpassword x1`, `machine h\n\tlogin bob\n\tpassword *`},
		{"kind: Secret\ndata:\n  user: YWRtaW4=\n  conf: |\n    MWYyZDFlMmU2N2Rm\ntype: Opaque", "kind: Secret\ndata:\n  user: *\n  conf: |\n    *\ntype: Opaque"},
		{"items:\n- data:\n    user: YWRtaW4=\n  kind: Secret\n  metadata:\n    name: db", "items:\n- data:\n    user: *\n  kind: Secret\n  metadata:\n    name: db"},
		{`{"kind":"Secret","data":{"user":"YWRtaW4="}}`, `{"kind":"Secret","data":*}`},
		{"posted to hooks.slack.com/services/T0AB12CD3/B0AB12CD3/" + S, "posted to *"},
		{"discord.com/api/webhooks/123456789012345678/" + S + " failed", "* failed"},
		{"https://discord.com/api/v10/webhooks/123456789012345678/" + S, "https://discord.com/api/v10/webhooks/*"},
	})
	for _, s := range []string{
		"the machine could not login because of a bad password today", "default login page has no password field", "kind: ConfigMap\ndata:\n  user: YWRtaW4=",
		"login failed: machine busy, password login is off", "see hooks.slack.com/services/ for the address",
	} {
		require.Equal(t, s, Default().Text(s))
	}
	require.Equal(t, `{"kind":"Secret","data":{"user":"[Filtered]"}}`, extraOf(t, Default(), `{"kind":"Secret","data":{"user":"YWRtaW4="}}`))
}

func TestDiagnosesStay(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"cannot fetch token: 401 Unauthorized", "unexpected token: FROM", "credentials.json: no such file", "Password: required", "Authorization: missing",
		"private key: file not found", "secret: my-secret not found", "password: must be at least 8 characters", "Session: InProgress", "token: EOF",
		"missing credentials: AWS_PROFILE", "tests: 10, pass: 8", "max tokens: 4096", "cookies: 3", "GPIO pin=4", "sid=S-1-5-21", "password=${DB_PASSWORD}",
		"password=****", "password=true", "token={{ token }}", "session = Session(engine)", "creds := map[string]string{}", "assert token == expected",
		"expected token=',' but got token=';'", "password_policy=strict", "auth_method=oidc", "password_reset_url=https://x/y", "password_changed_at=2024-01-01",
		`WWW-Authenticate: Bearer realm="x", error="invalid_token"`, "docker run --user 1000:1000 -u 1000:1000 img", "validates('password', 'required')",
		"SELECT id, token FROM t WHERE a = 'b'", "KeyError: 'password'", "mysql -p -h x", `curl -u "${USER}:${PASSWORD}" https://x`,
		"sort -u a.txt b.txt", "date -u +%H:%M", `Killed by "OOM"`, `logged in by "sso"`, `Written by "ann" today`, `by "x"`,
	} {
		require.Equal(t, s, Default().Text(s))
	}
}

func TestNotationsInSourceCode(t *testing.T) {
	t.Parallel()
	requireTexts(t, func(s string) string { return (&walk{rules: Default()}).scrub(s, true) }, []want{
		{`password = os.getenv('DB_PW', '` + S + `')`, `password = os.getenv('DB_PW', '*')`},
		{`const password = process.env.PW || '` + S + `'`, `const password = process.env.PW || '*'`},
		{`var dbPassword string = "` + S + `"`, `var dbPassword string = "*"`},
		{`$this->token = decrypt('` + S + `');`, `$this->token = decrypt('*');`},
		{`define('DB_PASSWORD', '` + S + `');`, `define('DB_PASSWORD', '*');`},
	})
	for _, s := range []string{`token = request.headers.get("X-Token", "")`, `password = config.get("db", "password")`, `token = r.Header.Get("Authorization")`} {
		require.Equal(t, s, (&walk{rules: Default()}).scrub(s, true))
	}
}

func TestValueInTheNextLineOfSource(t *testing.T) {
	t.Parallel()
	f := core.Frame{PreContext: []core.Untrusted{"x = 1", "password = ("}, ContextLine: `    "` + S + `"`, PostContext: []core.Untrusted{")"}}
	e := &core.Event{Exceptions: []core.Exception{{Frames: []core.Frame{f}}}}
	Default().Event(e)
	require.Equal(t, core.Untrusted(`    "[Filtered]"`), e.Exceptions[0].Frames[0].ContextLine)
}

func TestPrivateKeyInBreadcrumbs(t *testing.T) {
	t.Parallel()
	e := &core.Event{}
	for _, line := range []core.Untrusted{"start", "-----BEGIN RSA PRIVATE KEY-----", "MIIEabc", "-----END RSA PRIVATE KEY-----", "end"} {
		e.Breadcrumbs = append(e.Breadcrumbs, core.Breadcrumb{Message: line})
	}
	Default().Event(e)
	for i, want := range []core.Untrusted{"start", Mask, Mask, Mask, "end"} {
		require.Equal(t, want, e.Breadcrumbs[i].Message)
	}
}

func TestNamesBesideValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []want{
		{`{"rawHeaders":["Host","x","Authorization","Custom ` + S + `","Accept","*/*"]}`, `{"rawHeaders":["Host","x","Authorization","[Filtered]","Accept","*/*"]}`},
		{`{"h":["password","` + S + `","x"]}`, `{"h":["password","[Filtered]","x"]}`},
		{`{"d":[{"key":"password","val":"x"}]}`, `{"d":[{"key":"password","val":"[Filtered]"}]}`},
		{`{"name":"пароль","value":"x"}`, `{"name":"пароль","value":"[Filtered]"}`},
		{`{"gen_ai.usage.input_tokens.cached":12,"usedTokens":"1024","x_tokens":9,"tokens":"k2v"}`, `{"gen_ai.usage.input_tokens.cached":12,"usedTokens":"1024","x_tokens":9,"tokens":"[Filtered]"}`},
		{`{"names":["password","token","user","email"]}`, `{"names":["password","token","user","email"]}`},
		{`{"password_invalid":"x","auth_url":"y","token_type":"bearer","max_tokens":5}`, `{"password_invalid":"[Filtered]","auth_url":"[Filtered]","token_type":"bearer","max_tokens":5}`},
	} {
		require.Equal(t, tt.out, extraOf(t, Default(), tt.in))
	}
}

func TestTextMadeOfSecretsIsFilteredWhole(t *testing.T) {
	t.Parallel()
	s := ""
	for range 1000 {
		s += "token=" + S[:2] + "9;"
	}
	require.Equal(t, Mask, Default().Text(s))
}

func TestCountsOfTokensStay(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields("max_tokens total_tokens promptTokens completion_tokens gen_ai.usage.input_tokens ai.usage.tokens_used") {
		for _, s := range []string{name + "=4096", name + ": 1,024", `{"` + name + `": 123456}`, `{"` + name + `": "512"}`} {
			require.Equal(t, s, Default().Text(s))
		}
	}
}
