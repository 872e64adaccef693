package scrub_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"errand/core"
	"errand/envelope"
	"errand/scrub"
	"errand/testkit/corpora"

	"github.com/stretchr/testify/require"
)

// gitleaksCase is a text and whether another scanner finds secrets in it.
type gitleaksCase struct {
	Rule, Text string
	Secrets    []string
	Bare       bool // the secret is recognisable without the text around it
	FP         bool // there is no secret
}

func readGitleaks(t *testing.T) (cases []gitleaksCase) {
	file, err := os.Open(filepath.Join(corpora.FindCorpus(t, "secrets"), "gitleaks-8.30.1-half.jsonl.gz"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines, err := gzip.NewReader(file)
	require.NoError(t, err)
	for dec := json.NewDecoder(lines); ; {
		var c gitleaksCase
		err := dec.Decode(&c)
		if errors.Is(err, io.EOF) {
			return cases
		}
		require.NoError(t, err)
		cases = append(cases, c)
	}
}

func leaksSecret(text string, secrets []string) bool {
	masked := scrub.DefaultRules().ScrubText(text)
	for _, secret := range secrets {
		if strings.Contains(masked, secret) {
			return true
		}
	}
	return false
}

// TestCorporaGitleaks counts how many secrets that another scanner finds stay visible, in their texts and alone.
func TestCorporaGitleaks(t *testing.T) {
	t.Parallel()
	left, total, changed, innocent := 0, 0, 0, 0
	bare := map[string]bool{}
	for _, c := range readGitleaks(t) {
		if c.FP {
			innocent++
			if scrub.DefaultRules().ScrubText(c.Text) != c.Text {
				changed++
			}
			continue
		}
		total++
		if leaksSecret(c.Text, c.Secrets) {
			left++
			if testing.Verbose() {
				t.Logf("left of %s: %q in %q", c.Rule, c.Secrets, c.Text)
			}
		}
		if c.Bare {
			for _, secret := range c.Secrets {
				bare[secret] = leaksSecret(secret, c.Secrets)
			}
		}
	}
	leftBare := 0
	for secret, leaked := range bare {
		if leaked {
			leftBare++
			if testing.Verbose() {
				t.Logf("left bare: %q", secret)
			}
		}
	}
	t.Logf("left of %d secrets in context: %d; of %d bare: %d; changed of %d innocent texts: %d", total, left, len(bare), leftBare,
		innocent, changed)
	require.LessOrEqual(t, left*100, total*5)
	require.LessOrEqual(t, leftBare*100, len(bare)*10)
}

// TestCorporaPositions counts the places and notations in an event where a random text that is clearly a secret stays.
func TestCorporaPositions(t *testing.T) {
	t.Parallel()
	const secret = "kT7wQz31LmXv9RbNcY5sHdPe"
	raw, err := os.ReadFile(filepath.Join(corpora.FindCorpus(t, "secrets"), "positions-half.json"))
	require.NoError(t, err)
	var positions []struct {
		Name  string
		Event json.RawMessage
	}
	require.NoError(t, json.Unmarshal(raw, &positions))
	var left []string
	for _, p := range positions {
		e := decodePosition(t, strings.ReplaceAll(string(p.Event), "§S§", secret))
		scrub.DefaultRules().ScrubEvent(e)
		if strings.Contains(string(e.AppendJSON(nil)), secret) {
			left = append(left, p.Name)
		}
	}
	require.LessOrEqual(t, len(left)*100, len(positions)*6, "left are only the arguable ones, such as a path that ends in a token")
	t.Logf("left at %d of %d positions: %s", len(left), len(positions), strings.Join(left, ", "))
}

// decodePosition decodes an event in the native form or, when it has fields that only SDKs send, in theirs.
func decodePosition(t *testing.T, text string) *core.Event {
	e, err := new(envelope.Decoder).DecodeNative([]byte(text), envelope.Hints{})
	if err != nil {
		e, err = new(envelope.Decoder).Decode([]byte(text), envelope.Hints{})
	}
	require.NoError(t, err, text)
	return e
}

// TestCorporaOrdinaryLines counts the log lines that change although they hold no secret.
func TestCorporaOrdinaryLines(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(corpora.FindCorpus(t, "secrets"), "ordinary-lines-half.json"))
	require.NoError(t, err)
	var lines []string
	require.NoError(t, json.Unmarshal(raw, &lines))
	changed := 0
	for _, line := range lines {
		if masked := scrub.DefaultRules().ScrubText(line); masked != line {
			changed++
			t.Logf("changed: %q to %q", line, masked)
		}
	}
	t.Logf("changed %d of %d ordinary lines", changed, len(lines))
	require.LessOrEqual(t, changed*100, len(lines)*5)
}
