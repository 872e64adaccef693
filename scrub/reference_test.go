package scrub

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDiagnosisLinesStay counts the lines of logs, errors and stack traces that are changed, though they only say what is wrong.
func TestDiagnosisLinesStay(t *testing.T) {
	t.Parallel()
	const most = 9
	raw, err := os.ReadFile("testdata/diagnosis_lines.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	require.Greater(t, len(lines), 140)
	var changed []string
	for _, line := range lines {
		if masked := DefaultRules().ScrubText(line); masked != line {
			changed = append(changed, masked)
		}
	}
	require.LessOrEqual(t, len(changed), most, "%q", changed)
}

func TestReferencesToSecretsStay(t *testing.T) {
	t.Parallel()
	requireUnchanged(t, DefaultRules().ScrubText,
		"sig: SIGSEGV", "sig=SIGTERM, exiting", "failed to mount secret: default/x", "access key: inactive", "$$FastClassByCGLIB$$6c0b35d1",
		"a.Cart$$EnhancerBySpringCGLIB$$6c0b35d1$$FastClassBySpringCGLIB$$1c2d3e4f.invoke(<generated>)",
		"token: a.Token$$FastClassByCGLIB$$6c0b35d1", "private key: PKCS8", "credentials: /root/.aws/credentials", "PWD=/srv/app",
	)
}

func TestSecretsThatLookLikeReferences(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"secret: hunter2/abc", "secret: *"},
		{"secret: a1b2c3d4/e5f6", "secret: *"},
		{"secret: xkcdqwrtzp/bnmlkjhg", "secret: *"},
		{"secret: default/" + exampleSecret, "secret: *"},
		{"secret: default/prod-12345678", "secret: *"},
		{"client_secret: default/x", "client_secret: *"},
		{"password: /9dkTz31LmXv", "password: *"},
		{"pwd=/hunter2", "pwd=*"},
		{"password: /etc/" + exampleSecret, "password: *"},
		{"password: swordfish active", "password: * active"},
		{"access key: hunter", "access key: *"},
		{"access key: AKIAIOSFODNN7EXAMPLE", "access key: *"},
		{"sig: 3045022100abcdef", "sig: *"},
		{"sig: SIGhunter2", "sig: *"},
		{"sid: ABCDEFGHIJ", "sid: *"},
		{"password=MyProvider", "password=*"},
		{"token=a$$FastClassByCGLIB$$" + exampleSecret, "token=*"},
		{"$$6$$salt$$" + exampleSecret, "$$6$*"},
	})
}

func TestWorkingFoldersStay(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"Uid=sa;PWD=/srv/Zq7hunter2Kx", "Uid=sa;PWD=*"},
		{"PWD=/Zq7hunter2Kx", "PWD=*"},
		{"DB_PWD=/srvs/app", "DB_PWD=*"},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"PWD=/vercel/path0\nOLDPWD=/workspaces", `PWD=C:\Users\app`,
	)
	for _, tt := range []textCase{
		{`{"environ":{"PWD":"/home/app/web","OLDPWD":"C:\\Users\\John Doe\\app","DB_PWD":"/home/app","pwd":"/home/app"}}`,
			`{"environ":{"PWD":"/home/app/web","OLDPWD":"C:\\Users\\John Doe\\app","DB_PWD":"*","pwd":"*"}}`},
		{`{"PWD":"Zq7hunter2Kx","OLDPWD":"/Zq7hunter2Kx"}`, `{"PWD":"*","OLDPWD":"*"}`},
		{`{"PWD":"/home/` + exampleSecret + `","OLDPWD":{"a":1}}`, `{"PWD":"*","OLDPWD":"*"}`},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, maskStars(tt.out), extraOf(t, DefaultRules(), tt.in))
		})
	}
}
