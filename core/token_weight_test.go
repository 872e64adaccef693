package core_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/testkit/corpora"
)

// countedTokens holds texts, with the number of tokens that each of two tokenisers counts. scripts/count-tokens writes them.
type countedTokens struct {
	Texts []struct {
		Name   string
		Text   string
		Tokens []int
	}
	Corpora []struct {
		File   string
		Tokens []int
	}
}

func readCountedTokens(t *testing.T) (counted countedTokens) {
	t.Helper()
	text, err := os.ReadFile("testdata/tokens.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &counted))
	return counted
}

// mostUnder is how far the estimate may be below the count of a tokeniser.
const mostUnder = 0.10

func TestCountTokensIsNotUnderTheCountOfATokeniser(t *testing.T) {
	t.Parallel()
	for _, text := range readCountedTokens(t).Texts {
		t.Run(text.Name, func(t *testing.T) {
			t.Parallel()
			require.GreaterOrEqual(t, float64(core.CountTokens(text.Text)), (1-mostUnder)*float64(slices.Max(text.Tokens)))
		})
	}
}

func TestCorporaTokens(t *testing.T) {
	t.Parallel()
	var ratios []float64
	for _, file := range readCountedTokens(t).Corpora {
		corpus, rest, _ := strings.Cut(file.File, "/")
		text, err := os.ReadFile(filepath.Join(corpora.FindCorpus(t, corpus), rest))
		require.NoError(t, err)

		ratio := float64(core.CountTokens(text)) / float64(slices.Max(file.Tokens))

		require.GreaterOrEqual(t, ratio, 1-mostUnder, file.File)
		ratios = append(ratios, ratio)
	}
	slices.Sort(ratios)
	median := ratios[len(ratios)/2]
	t.Logf("%d files, estimate by count: least %.2f, median %.2f, most %.2f", len(ratios), ratios[0], median, ratios[len(ratios)-1])
	require.Less(t, median, 1.4, "ordinary events do not lose half of their budget")
}

// TestPartsWeighAsMuchAsTheWhole checks the property that lets a text be written piece by piece within a bound: the
// weights of lines add up to at least the weight of the text that they form.
func TestPartsWeighAsMuchAsTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.String(), 1, 8).Draw(t, "lines")
		parts := 0
		for _, line := range lines {
			parts += core.WeighText(line + "\n")
		}
		require.LessOrEqual(t, core.WeighText(strings.Join(lines, "\n")+"\n"), parts)
	})
}

func BenchmarkWeighText(b *testing.B) {
	text := strings.Repeat(`{"filename":"shop/cart.py","lineno":42,"vars":{"items":[1,2,3]}}`+"\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		core.WeighText(text)
	}
}
