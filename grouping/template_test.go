package grouping

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
)

var placeholders = []string{"%s", "%r", "%d", "%-5.2f", "%05d", "%1$s", "%lld", "%@", "%+v", "%(msg)s", "%(user.id)-3d", "%<price>.2f",
	"%{name}", "${name}", "#{name}", "{}", "{0}", "{0:N2}", "{0:yyyy-MM-dd HH:mm}", "{name}", "{name!r:>10}", "{@User}", "{user.id}",
	"{a[0]}", "{Elapsed,8:0.0}", "%%"}

func TestWordsOfTemplates(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]bool{
		"": false, "%s: %s": false, "[%s] %s": false, "{}: {}": false, "%": false, "{": false, "_%s_": false, "-- %s --": false,
		"%d%": false, "→ %s 🔥": false, "\xff%s": false,

		"Error: %s": true, "%s failed": true, "%ss": true, "5 %s": true, "加载%s": true, `{"error": %s}`: true, "{not found}": true,
		"{a": true, "{a: {b}}": true, "%(a": true, "%(a)s b": true, "{} x": true, "% of": true,
	} {
		t.Run(template, func(t *testing.T) {
			require.Equal(t, want, hasWords(template))
		})
	}
}

// Words count in every template, and placeholders in none.
func TestPlaceholdersAreNoWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		separators := rapid.StringMatching(`[ :,;/|()\[\]-]{0,3}`)
		template := ""
		for range rapid.IntRange(1, 4).Draw(t, "count") {
			template += separators.Draw(t, "before") + rapid.SampledFrom(placeholders).Draw(t, "placeholder")
		}

		require.False(t, hasWords(template), template)
		require.True(t, hasWords(template+" "+rapid.StringMatching(`[a-z]{2,9}`).Draw(t, "word")), template)
	})
}

func TestMessagesOfTemplatesWithoutWords(t *testing.T) {
	t.Parallel()
	message := func(template, text string) *core.Event {
		return &core.Event{Template: template, Message: core.Untrusted(text)}
	}

	require.NotEqual(t, ComputeKey(message("%s", "db down")), ComputeKey(message("%s", "card declined")))
	require.Equal(t, ComputeKey(message("%s", "db down for 5 s")), ComputeKey(message("%s", "db down for 77 s")))
	require.Equal(t, ComputeKey(message("{}", "db down")), ComputeKey(message("", "db down")))
	require.Equal(t, ComputeKey(message("Error: %s", "Error: a")), ComputeKey(message("Error: %s", "Error: b")))
	require.NotEqual(t, ComputeKey(message("%s", "")), ComputeKey(message("", "")), "no text: the template is all there is")
	require.Equal(t, "db down", MakeTitle(message("%s", "db down")))
}
