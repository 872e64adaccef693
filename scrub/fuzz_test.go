package scrub

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostileTexts are pieces that, when repeated, lead rules to look far ahead or back.
var hostileTexts = []string{
	"password=", "password=\"", "password='\\\"", "password=[", "password={\"", "password={'\\'", "password=,", "password=a,", "eyJ",
	"-eyJ", "eyJ.",
	"4111 ", "4", "41111111111111111", "123-45-6789-", "sk-", "ghp_", "Bearer ", "Basic ", "basic aaaa",
	"-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----",
	"-----END PRIVATE KEY-----", "<token>", "<token> ", "<token><![CDATA[", "<", "a>", "://", "a://", "a://b:c", "a@tcp(", "@//",
	"jdbc:a@", "%3D", "%", "%70",
	"password%3D", "%22password%22%3A%22", "--", "--a", "--password ", "-M", "-us1", "12345678:", "name=\"password\"", "\\\"",
	"auth: ", "token:", "Cookie: ", "=",
	":", "::", " ", "key: ", "api key: ", "password=(\"", "password=Bearer ", "\u200b", "é", "\x00", "\x1b[", "👍\u200d", "whsec_",
	"M.", "token=eyJ",
	"password=$", "password=<a", "password=b'", "password=\\", "\"\"\"", "password=%27", "x=y;", "password=x;y;z;", "password=''",
	"pw:0:\"0", "password=a(", "password=a(\"", "password=a(' ", "session = a(b ", "password=>string(9) \"",
	"password=>array(", "password=>array(1", "password=>array\n", "password=>object(a", "password=>Array\n(",
	"[password:a:private] => ", "\"password\":private]=>", "\"password\";s:9:\"", "password|s:9:\"", "SQL: ", "SQL: insert ",
	"SQL: insert into t (password) values (", "SQL: insert into t (password) values (?), ", "SQL: insert VALUES (",
	"SQL:insert pwd)values(\"00",
	"SQL: password=? parameters: (",
	"SQL: a=? and token=? parameters: (null, (", "parameters: (", "SQL: ?", "input_value='", "a\n input_value=b ",
	"password\n input_value=null ",
	"password: rejected value [", "password: value '", "value \"", "value 'x' at path token ", "\"token\" with value \"", "'token' ('x ",
	"&gt;", "&lt;", "&lt;token&gt;", "&lt;token&gt;&lt;", "<key>token</key>", "<key>token</key><a>", "<key>token</key><a>x", "name=\"token\">",
	"name=\"token\">x", "\\u0022password\\u0022:\\u0022", "\\u0022password\\u0022:",
	"&quot;password&quot;:&quot;", "&quot;:", "password:&#39;",
	"<add value=\"x\" key=\"token\"", "<add value=\"\\\"", "<key=\"token\"", "{\"value\":\"",
	"name: token\nvalue: ", "name: token\n", "name=token,value=", "name=\"token\" content=\"", "<a name=\"token\"><value>",
	"password[]=", "[]=", "%5B%5D=", "]]]]=", "a.sid=", "a.sid: x1", "the key=", "the key=\"token\"",
	"Map(token -> ", "{token,<<\"", "{token,\"", " -password ", " -passwordx", "token:: ", "PWD=/a/", "PWD=C:\\a\\",
}

// TestHostileTexts scans long texts that cost more than linear time when a rule looks ahead without a bound: the test would not
// end.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	r := DefaultRules()
	for _, piece := range hostileTexts {
		s := cleanCharacters(strings.Repeat(piece, (64<<10)/len(piece)))
		for _, code := range []bool{false, true} {
			masked, _ := r.maskRepeatedly(s, suspicionSets-1, code)
			require.LessOrEqual(t, len(masked), len(Mask)*(len(s)+1), "%q", piece)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, piece := range hostileTexts {
		f.Add(piece + piece + "hunter2 x=1")
	}
	r, err := NewRules([]string{"own"}, []string{`EMP-\d+`})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, s string) {
		for _, code := range []bool{false, true} {
			r.maskRepeatedly(cleanCharacters(s), suspicionSets-1, code) // without the guard against panics
			w := cleaner{rules: r, steps: eventSteps}
			once := w.scrubText(s, code)
			requireVisible(t, once)
			w = cleaner{rules: r, steps: eventSteps}
			require.Equal(t, once, w.scrubText(once, code))
		}
		judgeDefaultName(s)
	})
}

func FuzzName(f *testing.F) {
	f.Add("x", "password")
	f.Fuzz(func(t *testing.T, before, after string) {
		name := before + "_password_" + after
		if judgeDefaultName(name) == public { // unless the whole name is known to be readable
			k := splitKey(name, nil, nil)
			require.True(t, readableKeys[string(k.text)], name)
		}
	})
}
