package scrub

import (
	"testing"

	"errand/core"

	"github.com/stretchr/testify/require"
)

// exampleSecret stands for a random text in the tests of this file.
const exampleSecret = "kT7wQz31LmXv9RbNcY5sHdPe"

func TestNotationsOfSecrets(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"System.setProperty(\"db.password\", \"" + exampleSecret + "\");", "System.setProperty(\"db.password\", \"*\");"},
		{`os.Setenv("API_TOKEN", "` + exampleSecret + `")`, `os.Setenv("API_TOKEN", "*")`},
		{`localStorage.setItem('token', '` + exampleSecret + `')`, `localStorage.setItem('token', '*')`},
		{`(b'authorization', b'Bearer ` + exampleSecret + `')`, `(b'authorization', b'*')`},
		{`[('host', 'x'), ('cookie', 'a=` + exampleSecret + `')]`, `[('host', 'x'), ('cookie', '*')]`},
		{`var dbPassword string = "` + exampleSecret + `"`, `var dbPassword string = "*"`},
		{`db_token ?= "` + exampleSecret + `"`, `db_token ?= "*"`},
		{`db_token :::= "` + exampleSecret + `"`, `db_token :::= "*"`},
		{`$token .= '` + exampleSecret + `'`, `$token .= '*'`},
		{"CREATE USER bob IDENTIFIED BY '" + exampleSecret + "'", "CREATE USER bob IDENTIFIED BY '*'"},
		{"INSERT INTO users (name, password) VALUES ('bob', '" + exampleSecret + "'), ('eve', 'x1')",
			"INSERT INTO users (name, password) VALUES ('bob', '*'), ('eve', '*')"},
		{"INSERT INTO users (id, password) VALUES (1, '" + exampleSecret + "')", "INSERT INTO users (id, password) VALUES (1, '*')"},
		{"near 'x': insert into t(a, password)\nvalues\n  (\n  'a',\n 'b'); insert into u(password) values ('c')",
			"near 'x': insert into t(a, password)\nvalues\n  (\n  'a',\n '*'); insert into u(password) values ('*')"},
		{"invalid token '" + exampleSecret + "'", "invalid token '*'"},
		{"curl -u bob:" + exampleSecret + " https://x", "curl -u bob:* https://x"},
		{"curl --user bob:" + exampleSecret + " https://x", "curl --user bob:* https://x"},
		{`curl -u ":` + exampleSecret + `" https://x`, `curl -u ":*" https://x`},
		{`curl -u "` + exampleSecret + `:" https://x`, `curl -u "*:" https://x`},
		{`curl --user "bob@x.com:a6@b#c" https://x`, `curl --user "bob@x.com:*" https://x`},
		{`curl --user "bob":"` + exampleSecret + `" https://x`, `curl --user "bob":"*" https://x`},
		{`curl --user bob:'` + exampleSecret + `' -iX PATCH`, `curl --user bob:'*' -iX PATCH`},
		{"curl -k -u \\\n  bob:" + exampleSecret + " https://x", "curl -k -u \\\n  bob:* https://x"},
		{"mysql -u root -p" + exampleSecret + " -h x", "mysql -u root -p* -h x"},
		{"sshpass -p '" + exampleSecret + "' ssh x", "sshpass -p '*' ssh x"},
		{"password: |\n  " + exampleSecret + "\n  second\nuser: bob", "password: |\n  *\nuser: bob"},
		{"password:\n  " + exampleSecret + "\nuser: bob", "password:\n  *\nuser: bob"},
		{"<password>\n  " + exampleSecret + "\n</password>", "<password>*</password>"},
		{`<input name="password" value="` + exampleSecret + `">`, `<input name="password" value="*">`},
		{`{"key": "password", "value": "` + exampleSecret + `"}`, `{"key": "password", "value": "*"}`},
		{"next=%252Fcb%253Faccess_token%253D" + exampleSecret + "%2526x", "next=%252Fcb%253Faccess_token%253D*"},
		{"пароль=" + exampleSecret, "пароль=*"},
		{"p\u0430ssword=" + exampleSecret, "p\u0430ssword=*"},
		{"key=" + exampleSecret, "key=*"},
		{"https://x/cb?code=" + exampleSecret + "&state=1", "https://x/cb?code=*&state=1"},
		{"root:$6$salt$" + exampleSecret + ":1:0", "root:$6$*:1:0"},
		{"https://x.webhook.office.com/webhookb2/" + exampleSecret, "https://x.webhook.office.com/webhookb2/*"},
		{"password: str = '" + exampleSecret + "'", "password: str = '*'"},
		{"password=Pa(ss)word", "password=*"},
		{"password_hint_error=hunter2", "password_hint_error=*"},
	})
}

func TestFilesWithSecrets(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"machine api.example.com login bob password S3cr3tWord", "machine api.example.com login bob password *"},
		{"machine h\n  login bob\n  password swordfish\nmachine i password x1 login eve",
			"machine h\n  login bob\n  password *\nmachine i password * login eve"},
		{`"default login anonymous password swordfish1"`, `"default login anonymous password *"`},
		{`machine h\n\tlogin bob\n\tpassword x1`, `machine h\n\tlogin bob\n\tpassword *`},
		{"kind: Secret\ndata:\n  user: YWRtaW4=\n  conf: |\n    MWYyZDFlMmU2N2Rm\ntype: Opaque",
			"kind: Secret\ndata:\n  user: *\n  conf: |\n    *\ntype: Opaque"},
		{"items:\n- data:\n    user: YWRtaW4=\n  kind: Secret\n  metadata:\n    name: db",
			"items:\n- data:\n    user: *\n  kind: Secret\n  metadata:\n    name: db"},
		{`{"kind":"Secret","data":{"user":"YWRtaW4="}}`, `{"kind":"Secret","data":*}`},
		{"posted to hooks.slack.com/services/T0AB12CD3/B0AB12CD3/" + exampleSecret, "posted to *"},
		{"discord.com/api/webhooks/123456789012345678/" + exampleSecret + " failed", "* failed"},
		{"https://discord.com/api/v10/webhooks/123456789012345678/" + exampleSecret, "https://discord.com/api/v10/webhooks/*"},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"the machine could not login because of a bad password today", "default login page has no password field",
		"kind: ConfigMap\ndata:\n  user: YWRtaW4=",
		"login failed: machine busy, password login is off", "see hooks.slack.com/services/ for the address",
	)
	require.Equal(t, `{"kind":"Secret","data":{"user":"[Filtered]"}}`,
		extraOf(t, DefaultRules(), `{"kind":"Secret","data":{"user":"YWRtaW4="}}`))
}

func TestDiagnosesStay(t *testing.T) {
	t.Parallel()
	requireUnchanged(t, DefaultRules().ScrubText,
		"cannot fetch token: 401 Unauthorized", "unexpected token: FROM", "credentials.json: no such file", "Password: required",
		"Authorization: missing",
		"private key: file not found", "secret: my-secret not found", "password: must be at least 8 characters", "Session: InProgress",
		"token: EOF",
		"missing credentials: AWS_PROFILE", "tests: 10, pass: 8", "max tokens: 4096", "cookies: 3", "GPIO pin=4", "sid=S-1-5-21",
		"password=${DB_PASSWORD}",
		"password=****", "password=true", "token={{ token }}", "session = Session(engine)", "creds := map[string]string{}",
		"assert token == expected",
		"expected token=',' but got token=';'", "password_policy=strict", "auth_method=oidc", "password_reset_url=https://x/y",
		"password_changed_at=2024-01-01",
		`WWW-Authenticate: Bearer realm="x", error="invalid_token"`, "docker run --user 1000:1000 -u 1000:1000 img",
		"validates('password', 'required')",
		"SELECT id, token FROM t WHERE a = 'b'", "KeyError: 'password'", "mysql -p -h x", `curl -u "${USER}:${PASSWORD}" https://x`,
		"sort -u a.txt b.txt", "date -u +%H:%M", `Killed by "OOM"`, `logged in by "sso"`, `Written by "ann" today`, `by "x"`,
	)
}

func TestNotationsInSourceCode(t *testing.T) {
	t.Parallel()
	requireTexts(t, scrubCode, []textCase{
		{`password = os.getenv('DB_PW', '` + exampleSecret + `')`, `password = os.getenv('DB_PW', '*')`},
		{`const password = process.env.PW || '` + exampleSecret + `'`, `const password = process.env.PW || '*'`},
		{`var dbPassword string = "` + exampleSecret + `"`, `var dbPassword string = "*"`},
		{`$this->token = decrypt('` + exampleSecret + `');`, `$this->token = decrypt('*');`},
		{`define('DB_PASSWORD', '` + exampleSecret + `');`, `define('DB_PASSWORD', '*');`},
	})
	requireUnchanged(t, scrubCode, `token = request.headers.get("X-Token", "")`, `password = config.get("db", "password")`,
		`token = r.Header.Get("Authorization")`)
}

func TestValueInTheNextLineOfSource(t *testing.T) {
	t.Parallel()
	f := core.Frame{PreContext: []core.Untrusted{"x = 1", "password = ("}, ContextLine: `    "` + exampleSecret + `"`,
		PostContext: []core.Untrusted{")"}}
	e := &core.Event{Exceptions: []core.Exception{{Frames: []core.Frame{f}}}}
	DefaultRules().ScrubEvent(e)
	require.Equal(t, core.Untrusted(`    "[Filtered]"`), e.Exceptions[0].Frames[0].ContextLine)
}

func TestPrivateKeyInBreadcrumbs(t *testing.T) {
	t.Parallel()
	e := &core.Event{}
	for _, line := range []core.Untrusted{"start", "-----BEGIN RSA PRIVATE KEY-----", "MIIEabc", "-----END RSA PRIVATE KEY-----", "end"} {
		e.Breadcrumbs = append(e.Breadcrumbs, core.Breadcrumb{Message: line})
	}
	DefaultRules().ScrubEvent(e)
	for i, want := range []core.Untrusted{"start", Mask, Mask, Mask, "end"} {
		require.Equal(t, want, e.Breadcrumbs[i].Message)
	}
}

func TestNamesBesideValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []textCase{
		{`{"rawHeaders":["Host","x","Authorization","Custom ` + exampleSecret + `","Accept","*/*"]}`,
			`{"rawHeaders":["Host","x","Authorization","[Filtered]","Accept","*/*"]}`},
		{`{"h":["password","` + exampleSecret + `","x"]}`, `{"h":["password","[Filtered]","x"]}`},
		{`{"d":[{"key":"password","val":"x"}]}`, `{"d":[{"key":"password","val":"[Filtered]"}]}`},
		{`{"name":"пароль","value":"x"}`, `{"name":"пароль","value":"[Filtered]"}`},
		{`{"gen_ai.usage.input_tokens.cached":12,"usedTokens":"1024","x_tokens":9,"tokens":"k2v"}`,
			`{"gen_ai.usage.input_tokens.cached":12,"usedTokens":"1024","x_tokens":9,"tokens":"[Filtered]"}`},
		{`{"names":["password","token","user","email"]}`, `{"names":["password","token","user","email"]}`},
		{`{"password_invalid":"x","auth_url":"y","token_type":"bearer","max_tokens":5}`,
			`{"password_invalid":"[Filtered]","auth_url":"[Filtered]","token_type":"bearer","max_tokens":5}`},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.out, extraOf(t, DefaultRules(), tt.in))
		})
	}
}

func TestTextMadeOfSecretsIsFilteredWhole(t *testing.T) {
	t.Parallel()
	s := ""
	for range 1000 {
		s += "token=" + exampleSecret[:2] + "9;"
	}
	require.Equal(t, Mask, DefaultRules().ScrubText(s))
}

func TestCountsOfTokensStay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"max_tokens", "total_tokens", "promptTokens", "completion_tokens", "gen_ai.usage.input_tokens", "ai.usage.tokens_used",
	} {
		requireUnchanged(t, DefaultRules().ScrubText,
			name+"=4096", name+": 1,024", `{"`+name+`": 123456}`, `{"`+name+`": "512"}`)
	}
}
