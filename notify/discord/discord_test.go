package discord_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/notify"
	"errand/notify/discord"
	"errand/notify/notifytest"
)

const hookURL = "https://discord.com/api/webhooks/123456789012345678/aB3_-xyz"

func TestNewRequest(t *testing.T) {
	t.Parallel()
	request, err := discord.NewRequest(t.Context(), notifytest.NewExample(), notify.Target{URL: hookURL})

	require.NoError(t, err)
	require.Equal(t, hookURL, request.URL.String())
	body, err := io.ReadAll(request.Body)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"embeds": [{"title": "New issue in Web shop", "timestamp": "2026-01-03T18:22:49.123Z",
			"description": "Title, written by the monitored app: `+"`TypeError: x is undefined`"+
		`\nseen 12 times, 1 user affected, level error, status unresolved\nErrand issue 42\n<https://errand.example/issues/42>"}],
		"allowed_mentions": {"parse": []}}`, string(body))
}

func TestNewRequestOfPing(t *testing.T) {
	t.Parallel()
	request, err := discord.NewRequest(t.Context(), notifytest.NewPing(), notify.Target{URL: hookURL})

	require.NoError(t, err)
	title, description := textsOf(t, request.Body)
	require.Equal(t, "Test message from Errand", title)
	require.Equal(t, "<https://errand.example>", description)
}

// The title of an issue stays inside one code span, the project's name is escaped, and the lengths are Discord's.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	m := notifytest.NewExample()
	m.Issue.Title = notifytest.Hostile
	m.Project = "@everyone **" + strings.Repeat("_", 300)

	request, err := discord.NewRequest(t.Context(), m, notify.Target{URL: hookURL})

	require.NoError(t, err)
	title, description := textsOf(t, request.Body)
	require.True(t, strings.HasPrefix(title, `New issue in \@everyone \*\*\_\_`), title)
	require.LessOrEqual(t, utf8.RuneCountInString(title), 256)
	require.Equal(t, 2, strings.Count(description, "`"))
	require.Equal(t, 3, strings.Count(description, "\n"))
	_, code, _ := strings.Cut(description, "`")
	_, after, _ := strings.Cut(code, "`")
	require.NotContains(t, after, "evil")
}

// textsOf returns title and description of the embed.
func textsOf(t *testing.T, body io.Reader) (string, string) {
	t.Helper()
	var sent struct {
		Embeds          []struct{ Title, Description string }
		AllowedMentions struct{ Parse []string } `json:"allowed_mentions"`
	}
	require.NoError(t, json.NewDecoder(body).Decode(&sent))
	require.NotNil(t, sent.AllowedMentions.Parse)
	require.Empty(t, sent.AllowedMentions.Parse)
	require.Len(t, sent.Embeds, 1)
	return sent.Embeds[0].Title, sent.Embeds[0].Description
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for url, accepted := range map[string]bool{
		hookURL:                    true,
		hookURL + "?thread_id=123": true,
		"https://canary.discord.com/api/webhooks/1/x":       true,
		"https://ptb.discord.com/api/v10/webhooks/1/x":      true,
		"https://discordapp.com/api/webhooks/1/x":           true,
		hookURL + "/slack":                                  false,
		hookURL + "?wait=true":                              false,
		hookURL + "\n":                                      false,
		"https://discord.com/api/webhooks/1":                false,
		"https://discord.com/api/webhooks/x/1":              false,
		"http://discord.com/api/webhooks/1/x":               false,
		"https://discord.com.evil.example/api/webhooks/1/x": false,
		"https://evil-discord.com/api/webhooks/1/x":         false,
		"https://evil.discord.com/api/webhooks/1/x":         false,
		"https://discord.com:8443/api/webhooks/1/x":         false,
		"https://hooks.slack.com/services/T0/B0/x":          false,
		"": false,
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			err := discord.CheckURL(url)

			require.Equal(t, accepted, err == nil, err)
			require.False(t, err != nil && strings.Contains(err.Error(), "aB3"))
		})
	}
	require.Equal(t, "https://discord.com/api/webhooks/***", discord.MaskURL())
}
