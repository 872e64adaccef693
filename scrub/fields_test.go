package scrub

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesAndValuesInTags has tags that name a secret in one attribute and hold it in another, or in their content.
func TestNamesAndValuesInTags(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{`<add key="password" value="Zq7hunter2Kx"/>`, `<add key="password" value="*"/>`},
		{"<appSettings>\n  <add key=\"ApiKey\" value=\"x\" />\n</appSettings>",
			"<appSettings>\n  <add key=\"ApiKey\" value=\"*\" />\n</appSettings>"},
		{`<x key="password" value="Zq7hunter2Kx">`, `<x key="password" value="*">`},
		{`<entry key="password">Zq7hunter2Kx</entry>`, `<entry key="password">*</entry>`},
		{`<Item Key="password">Zq7hunter2Kx</Item>`, `<Item Key="password">*</Item>`},
		{`<add value="Zq7hunter2Kx" key="password"/>`, `<add value="*" key="password"/>`},
		{`<a value="b" key="n"/><add value="Zq7hunter2Kx" key="password"/>`, `<a value="b" key="n"/><add value="*" key="password"/>`},
		{`{"value":"Zq7hunter2Kx","name":"password"}`, `{"value":"*","name":"password"}`},
		{`{\"value\": \"Zq7hunter2Kx\", \"key\": \"password\"}`, `{\"value\": \"*\", \"key\": \"password\"}`},
		{`<meta name="csrf-token" content="Zq7hunter2Kx">`, `<meta name="csrf-token" content="*">`},
		{`<meta content="Zq7hunter2Kx" name="csrf-token">`, `<meta content="*" name="csrf-token">`},
		{`<setting name="ApiKey" serializeAs="String"><value>Zq7hunter2Kx</value></setting>`,
			`<setting name="ApiKey" serializeAs="String"><value>*</value></setting>`},
		{"<setting name=\"ApiKey\">\n  <value>Zq7hunter2Kx</value>\n</setting>", "<setting name=\"ApiKey\">\n  <value>*</value>\n</setting>"},
		{`<input name="user[password]" value="Zq7hunter2Kx">`, `<input name="user[password]" value="*">`},
		{`<add key="TokenUrlError" value="a1b2c3d4e5"/>`, `<add key="TokenUrlError" value="*"/>`},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		`<add key="AuthUrl" value="https://x/y"/>`, `<add key="PasswordRequired" value="false"/>`, `<add key="Timeout" value="a1b2c3d4"/>`,
		`<entry key="login.password">Password</entry>`, `<input value="Log in" name="session">`, `<input value="Login" name="auth">`,
		`<option value="12" name="token">`, `<meta name="csrf-param" content="authenticity_token">`, `<meta name="author" content="x1">`,
		`<setting name="EnableAuth"><value>True</value></setting>`, `<a value="x1"><b key="password"/>`, `value="x1" key="password"`,
		`"field":"password","valid":"maybe"`, `missing key: "token" in values: a`,
	)
}

// TestNamesAndValuesInLines has the same in YAML, in options of commands and in printed structs.
func TestNamesAndValuesInLines(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"env:\n- name: DB_PASSWORD\n  value: \"Zq7hunter2Kx\"\n- name: A\n  value: b",
			"env:\n- name: DB_PASSWORD\n  value: \"*\"\n- name: A\n  value: b"},
		{"  - name: STRIPE_API_KEY\n    value: Zq7hunter2Kx\n", "  - name: STRIPE_API_KEY\n    value: *\n"},
		{"- key: password\n  value: Zq7hunter2Kx", "- key: password\n  value: *"},
		{`env:\n- name: DB_PASSWORD\n  value: \"Zq7hunter2Kx\"\n`, `env:\n- name: DB_PASSWORD\n  value: \"*\"\n`},
		{"ParameterKey=DBPassword,ParameterValue=Zq7hunter2Kx ParameterKey=A,ParameterValue=b",
			"ParameterKey=DBPassword,ParameterValue=* ParameterKey=A,ParameterValue=b"},
		{`"ParameterKey": "DBPassword", "ParameterValue": "Zq7hunter2Kx"`, `"ParameterKey": "DBPassword", "ParameterValue": "*"`},
		{"Name=DB_PASSWORD,Value=Zq7hunter2Kx", "Name=DB_PASSWORD,Value=*"},
		{"EnvVar{Name:DB_PASSWORD,Value:Zq7hunter2Kx,ValueFrom:nil,}", "EnvVar{Name:DB_PASSWORD,Value:*,ValueFrom:nil,}"},
		{"[name=Authorization, value=Bearer Zq7hunter2Kx]", "[name=Authorization, value=*]"},
		{"using key=" + exampleSecret, "using key=*"},
		{"with the code=" + exampleSecret, "with the code=*"},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db", "name: password", "name: password\nvalue", "name: token\nvalue:",
		"duplicate key: "+exampleSecret, "field: password value: must not be empty", "field=password value=required", "name: x\nvalue: a1b2c3",
		"name=password,invalue=x1",
	)
	require.Equal(t, `{"p":{"ParameterKey":"DBPassword","ParameterValue":"[Filtered]"}}`,
		extraOf(t, DefaultRules(), `{"p":{"ParameterKey":"DBPassword","ParameterValue":"x"}}`))
}

func TestNamesOfLists(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"password[]=Zq7hunter2Kx&a=1", "password[]=*&a=1"},
		{"data: password%5B%5D=Zq7hunter2Kx", "data: password%5B%5D=*"},
		{"user[tokens][]=Zq7hunter2Kx", "user[tokens][]=*"},
		{"user%5Btokens%5D%5B%5D=Zq7hunter2Kx", "user%5Btokens%5D%5B%5D=*"},
		{"next=%2F%3Fpassword%5B%5D%3DZq7hunter2Kx%26a", "next=%2F%3Fpassword%5B%5D%3D*%26a"},
		{`{"password[]" => "Zq7hunter2Kx"}`, `{"password[]" => "*"}`},
		{"form-data; name=\"password[]\"\n\nx\n--b", "form-data; name=\"password[]\"\n\n*\n--b"},
	})
	requireUnchanged(t, DefaultRules().ScrubText, "[]=x1", "a[]=x1&b[][]=y", "$tokens[] = $token;", `tokens: string[] = []`)
}

func TestNamesOfCookies(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"connect.sid=s%3AZq7hunter2Kx.a+b/c", "connect.sid=*"},
		{"connect.sid: s:Zq7hunter2Kx.a", "connect.sid: *"},
		{`{"connect.sid":"s:Zq7hunter2Kx.a"}`, `{"connect.sid":"*"}`},
		{"session.sid=abcdefgh", "session.sid=*"},
		{".AspNetCore.Identity.Application=Zq7", ".AspNetCore.Identity.Application=*"},
		{"_gh_sess=Zq7 wordpress_logged_in_5f=a%7C1 remember_web_59ba=b1", "_gh_sess=* wordpress_logged_in_5f=* remember_web_59ba=*"},
	})
	for _, tt := range []textCase{
		{`{"connect.sid":"s:Zq7hunter2Kx.a","sid":"abc"}`, `{"connect.sid":"*","sid":"*"}`},
		{`{"user.sid":"S-1-5-21-7","sub.sid":12,"message.sid":"SM0123456789abcdef0123456789abcdef"}`,
			`{"user.sid":"S-1-5-21-7","sub.sid":12,"message.sid":"SM0123456789abcdef0123456789abcdef"}`},
	} {
		require.Equal(t, maskStars(tt.out), extraOf(t, DefaultRules(), tt.in))
	}
	requireUnchanged(t, DefaultRules().ScrubText,
		"account_sid=AC0123456789abcdef0123456789abcdef", "ORACLE_SID=PROD1", "user.sid: S-1-5-21-7", `{"user.sid":"S-1-5-21-7"}`,
		"sub.sid = nc.ssid", "m.sid = parseInt64(args[1])", `"linux-sid","linux-amd64"`, "audio/prs.sid:*.psid", "is_logged_in=x1",
		"Microsoft.AspNetCore.Identity.UserManager: x1", "remember_me=1",
	)
}

func TestOwnKeyThatEndsWithSID(t *testing.T) {
	t.Parallel()
	r, err := NewRules([]string{"app.sid"}, nil)
	require.NoError(t, err)
	require.Equal(t, maskStars("app.sid=* b.sid=abcd"), r.ScrubText("app.sid=abcd b.sid=abcd"))
}
