package grouping_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
)

func withFingerprint(parts ...core.Untrusted) *core.Event {
	e := newEvent("python", "ValueError", "bad row 1", ownFrame("parse", "rows"))
	e.Message, e.Transaction, e.Level, e.Release, e.Environment, e.Logger = "hello", "/rows", "error", "1.2", "prod", "shop.rows"
	e.Tags = core.Value{Kind: core.Object, Kids: []core.Member{{Key: "shop", Value: core.StringValue("eu")}}}
	e.Fingerprint = parts
	return e
}

func TestClientFingerprintThatAsksForNothing(t *testing.T) {
	t.Parallel()
	plain := grouping.ComputeKey(withFingerprint())
	for _, parts := range [][]core.Untrusted{{""}, {"", " "}, {"{{ default }}"}, {"{{default}}"}, {"{{  default\t}}", ""}} {
		require.Equal(t, plain, grouping.ComputeKey(withFingerprint(parts...)), "%q", parts)
	}
}

func TestClientFingerprint(t *testing.T) {
	t.Parallel()
	other := newMessage("something else")
	other.Fingerprint = []core.Untrusted{"payments"}

	require.Equal(t, grouping.ComputeKey(other), grouping.ComputeKey(withFingerprint("payments")), "nothing else counts")

	distinct := [][]core.Untrusted{
		{}, {"a", "bc"}, {"ab", "c"}, {"abc"}, {"abc", ""}, {"", "abc"}, {"{{ default }}", "a"}, {"a", "{{ default }}"}, {"a", "default"},
		{"a", "{{ nothing }}"}, {"42"},
	}

	for i, a := range distinct {
		for _, b := range distinct[i+1:] {
			require.NotEqual(t, grouping.ComputeKey(withFingerprint(a...)), grouping.ComputeKey(withFingerprint(b...)), "%q and %q", a, b)
		}
	}
}

func TestClientFingerprintVariables(t *testing.T) {
	t.Parallel()
	for variable, value := range map[core.Untrusted]core.Untrusted{
		"{{ type }}": "ValueError", "{{error.type}}": "ValueError", "{{ error.value }}": "bad row 1", "{{ value }}": "bad row 1",
		"{{ message }}": "hello", "{{  transaction  }}": "/rows", "{{ level }}": "error", "{{ release }}": "1.2",
		"{{ environment }}": "prod", "{{ logger }}": "shop.rows", "{{ function }}": "parse", "{{ module }}": "rows",
		"{{ tags.shop }}": "eu",
		"{{ unheard }}":   "{{ unheard }}", "x {{ type }}": "x {{ type }}",
	} {
		t.Run(string(variable), func(t *testing.T) {
			require.Equal(t, grouping.ComputeKey(withFingerprint(value)), grouping.ComputeKey(withFingerprint(variable)), "%q", variable)
		})
	}

	silent := withFingerprint("{{ message }}")
	silent.Message = ""

	require.Equal(t, grouping.ComputeKey(withFingerprint("bad row 1")), grouping.ComputeKey(silent),
		"the exception speaks where there is no message")

	same := withFingerprint("{{ default }}", "{{ release }}")
	moved := withFingerprint("{{default}}", "1.2")
	moved.Exceptions[0].Frames[0].Lineno = 99

	require.Equal(t, grouping.ComputeKey(same), grouping.ComputeKey(moved))
}
