package notify_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
)

// The vector was computed with openssl: printf '%s' '1767464570.{"a":1}' | openssl dgst -sha256 -hmac whsec_test.
func TestSignBody(t *testing.T) {
	t.Parallel()
	const want = "t=1767464570,v1=d6a6d37d4d00c9003e2575dedb8da38648b7dd37b6822d39ed64380c6425be44"

	require.Equal(t, want, notify.SignBody("whsec_test", notifytest.SentAt, []byte(`{"a":1}`)))
}

// A program that shares no code with Go computes the same signature.
func TestSignBodyAsOpenSSL(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	secret, err := notify.NewSecret(strings.NewReader(strings.Repeat("\xfe\x01", 16)))
	require.NoError(t, err)
	body := []byte("{\"title\":\"\u00fc\\n\"}")
	command := exec.Command(openssl, "dgst", "-sha256", "-hmac", secret.Reveal(), "-r")
	command.Stdin = io.MultiReader(strings.NewReader(fmt.Sprintf("%d.", notifytest.SentAt.Unix())), bytes.NewReader(body))

	out, err := command.Output()

	require.NoError(t, err)
	digest, _, _ := strings.Cut(string(out), " ")
	require.Equal(t, fmt.Sprintf("t=%d,v1=%s", notifytest.SentAt.Unix(), digest), notify.SignBody(secret, notifytest.SentAt, body))
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	secret, err := notify.NewSecret(bytes.NewReader(bytes.Repeat([]byte{0xff}, 32)))
	require.NoError(t, err)
	require.Equal(t, "whsec_"+strings.Repeat("_", 42)+"8", secret.Reveal())

	_, err = notify.NewSecret(iotest.ErrReader(errors.New("no randomness")))
	require.Error(t, err)
}

func TestNextAttempt(t *testing.T) {
	t.Parallel()
	now := notifytest.SentAt
	want := []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}
	for i, wait := range want {
		next, more := notify.NextAttempt(now, i+1)
		require.True(t, more)
		require.Equal(t, now.Add(wait), next)
	}

	_, more := notify.NextAttempt(now, notify.MaxAttempts)

	require.False(t, more)
	require.Equal(t, notify.MaxAttempts, len(want)+1)
	first, more := notify.NextAttempt(now, 0)
	require.True(t, more)
	require.Equal(t, now.Add(time.Minute), first)
}

func TestWords(t *testing.T) {
	t.Parallel()
	m := notifytest.NewExample()
	require.Equal(t, "New issue in Web shop", m.Headline())
	require.Equal(t, "seen 12 times, 1 user affected, level error, status unresolved", m.DescribeCounts())
	require.Equal(t, "TypeError: x is undefined", m.TitleLine())

	m.Event = "issue.other"
	m.Issue.Title = "\u200b\n"
	require.Equal(t, "issue.other in Web shop", m.Headline())
	require.Equal(t, "(no title)", m.TitleLine())

	ping := notifytest.NewPing()
	require.Equal(t, "Test message from Errand", ping.Headline())
	require.Empty(t, ping.DescribeCounts()+ping.TitleLine())
}

func TestTitleLineOfHostileTitles(t *testing.T) {
	t.Parallel()
	m := notifytest.NewExample()
	m.Issue.Title = notifytest.Hostile

	line := m.TitleLine()

	require.NotContains(t, line, "\n")
	for _, r := range "\r\x00\x1b\u202e\u200b\U000E0041" {
		require.NotContains(t, line, string(r))
	}
	require.Equal(t, "`a 'b' ''' c`", notify.CodeSpan("a `b` ``` c"))
}

func FuzzTitleLine(f *testing.F) {
	f.Add(notifytest.Hostile)
	f.Add(strings.Repeat("ü", 500))
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, title string) {
		m := notifytest.NewExample()
		m.Issue.Title = core.Untrusted(title)

		line := m.TitleLine()

		require.NotEmpty(t, line)
		require.True(t, utf8.ValidString(line))
		require.LessOrEqual(t, utf8.RuneCountInString(line), 200)
		require.Equal(t, line, notify.CleanLine(line))
	})
}

func TestCutText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "abc", notify.CutText("abc", 3))
	require.Equal(t, "ab…", notify.CutText("abcd", 3))
	require.Equal(t, "üü…", notify.CutText("üüüü", 3))
	require.Equal(t, "üüü", notify.CutText("üüü", 3))
}

func TestDescribeIssue(t *testing.T) {
	t.Parallel()
	m := notifytest.NewExample()
	detail := &core.IssueDetail{Issue: core.Issue{
		ID: 42, ProjectID: 1234567890, Status: core.Unresolved, Level: "error", Trust: core.TrustHigh, Priority: 12.5,
		TimesSeen: 12, UsersAffected: 1, FirstSeen: m.Issue.FirstSeen, LastSeen: m.Issue.LastSeen, Title: m.Issue.Title,
	}}

	require.Equal(t, m.Issue, notify.DescribeIssue(detail))
}

// independentHMAC is HMAC by its definition (RFC 2104), without the package that SignBody uses.
func independentHMAC(key, text []byte) []byte {
	const blockSize = 64
	if len(key) > blockSize {
		sum := sha256.Sum256(key)
		key = sum[:]
	}
	inner, outer := bytes.Repeat([]byte{0x36}, blockSize), bytes.Repeat([]byte{0x5c}, blockSize)
	for i, b := range key {
		inner[i] ^= b
		outer[i] ^= b
	}
	innerSum := sha256.Sum256(append(inner, text...))
	sum := sha256.Sum256(append(outer, innerSum[:]...))
	return sum[:]
}

func TestSignBodyByDefinition(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"whsec_a", strings.Repeat("long", 40)} {
		text := fmt.Sprintf("%d.%s", notifytest.SentAt.Unix(), "body")
		want := fmt.Sprintf("t=%d,v1=%x", notifytest.SentAt.Unix(), independentHMAC([]byte(secret), []byte(text)))

		require.True(t, hmac.Equal([]byte(want), []byte(notify.SignBody(core.Secret(secret), notifytest.SentAt, []byte("body")))))
	}
}
