package scrub

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFieldsByTheirNames masks values that stand beside the name of their field: in tags, in YAML, in options of commands.
func TestFieldsByTheirNames(t *testing.T) {
	t.Parallel()
	r := DefaultRules()
	for text, want := range map[string]string{
		`<add key="password" value="hunter2x"/>`:       `<add key="password" value="[Filtered]"/>`,
		`<add key="ApiKey" value="hunter2x" />`:        `<add key="ApiKey" value="[Filtered]" />`,
		`<add value="hunter2x" key="password"/>`:       `<add value="[Filtered]" key="password"/>`,
		`<entry key="password">hunter2x</entry>`:       `<entry key="password">[Filtered]</entry>`,
		`<Item Key="password">hunter2x</Item>`:         `<Item Key="password">[Filtered]</Item>`,
		`<meta name="csrf-token" content="aB3hunter">`: `<meta name="csrf-token" content="[Filtered]">`,
		`<setting name="ApiKey" serializeAs="String"><value>hunter2x</value></setting>`: `<setting name="ApiKey" serializeAs="String">` +
			`<value>[Filtered]</value></setting>`,
		"- name: DB_PASSWORD\n  value: \"hunter2x\"":                   "- name: DB_PASSWORD\n  value: \"[Filtered]\"",
		"- name: DB_PASSWORD\n  value: hunter2x\n- name: A":            "- name: DB_PASSWORD\n  value: [Filtered]\n- name: A",
		`ParameterKey=DBPassword,ParameterValue=hunter2x`:              `ParameterKey=DBPassword,ParameterValue=[Filtered]`,
		`{"ParameterKey":"DBPassword","ParameterValue":"hunter2x"}`:    `{"ParameterKey":"DBPassword","ParameterValue":"[Filtered]"}`,
		`Name=DB_PASSWORD,Value=hunter2x`:                              `Name=DB_PASSWORD,Value=[Filtered]`,
		`password[]=hunter2x&a=1`:                                      `password[]=[Filtered]&a=1`,
		`password%5B%5D=hunter2x&a=1`:                                  `password%5B%5D=[Filtered]&a=1`,
		`using key=Zq7Xk9Canary42LmQw`:                                 `using key=[Filtered]`,
		`with the code=Zq7Xk9Canary42LmQw`:                             `with the code=[Filtered]`,
		`connect.sid=s%3AX.Ya8f7`:                                      `connect.sid=[Filtered]`,
		`{"connect.sid":"s%3AX.Ya8f7"}`:                                `{"connect.sid":"[Filtered]"}`,
		`.AspNetCore.Identity.Application=hunter2xAbC; _gh_sess=abc12`: `.AspNetCore.Identity.Application=[Filtered]; _gh_sess=[Filtered]`,
		`wordpress_logged_in_5f3=hunter2x; remember_web_59ba=hunter2x`: `wordpress_logged_in_5f3=[Filtered]; remember_web_59ba=[Filtered]`,
	} {
		require.Equal(t, want, r.ScrubText(text))
	}
	for _, readable := range []string{
		`<add key="timeout" value="30"/>`, `<add value="30" key="timeout"/>`, `<setting name="Color"><value>red</value></setting>`,
		`<meta name="description" content="A password is asked for">`, `<meta name="viewport" content="width=device-width">`,
		"- name: DB_HOST\n  value: db.local", "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db",
		`Name=DB_HOST,Value=db.local`, `tags[]=a&tags[]=b`, `duplicate key: 17`, `duplicate key: Zq7Xk9Canary42LmQw`, `the key: value pairs`,
		`name: password, value: required`, `account_sid=AC0123456789abcdef0123456789abcdef`, `user.sid=S-1-5-21-3623811015`, `ORACLE_SID=ORCL`,
	} {
		require.Equal(t, readable, r.ScrubText(readable))
	}
}
