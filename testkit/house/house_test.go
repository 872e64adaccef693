package house

import (
	"os"
	"testing"
)

// A breach of a rule is mended, or listed in the table of exceptions with its reason; an exception that is no longer needed is
// removed.
func TestSourcesKeepTheRules(t *testing.T) {
	t.Parallel()
	sources, err := MeasureSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}

	violations := sources.FindViolations()

	type exception struct {
		rule    Rule
		subject string
	}
	used := map[exception]bool{}
	for _, v := range violations {
		if exceptions[v.Rule][v.Subject] == "" {
			t.Errorf("%s: %s", v.Rule, v.Text)
		}
		used[exception{v.Rule, v.Subject}] = true
	}
	for rule, subjects := range exceptions {
		for subject := range subjects {
			if !used[exception{rule, subject}] {
				t.Errorf("%s: %s keeps the rule: take its exception out", rule, subject)
			}
		}
	}
}
