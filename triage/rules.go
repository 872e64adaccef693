package triage

import (
	"cmp"
	"slices"
	"strings"

	"errand/core"
)

// answer is a rule's answer for an issue.
type answer struct {
	category    core.Category
	isTransient bool
	isNoise     bool
	isGrave     bool // worse than its level says: data or the whole service is in danger
	code        codeChange
	confidence  float64
	reason      string
	isGeneral   bool // a type that says little: a wording may override it and stay certain

	isMissingRecord bool // a record is missing: somebody asked for it, unless it happens in the background
}

// codeChange says whether a change of the app's code can end the error, when its category does not decide that.
type codeChange uint8

const (
	byCategory codeChange = iota
	inCode
	notInCode
)

// wordingRule is a rule for titles with one of the wordings, in any case. Each wording consists of whole words, and may have
// gaps: " * ".
type wordingRule struct {
	answer
	platforms []string // only events of these; empty: any
	wordings  []string
}

// typeRule is a rule for exception types, by their names in lower case without packages.
type typeRule struct {
	answer
	types []string
}

// wordingIndex finds the rules whose wordings a title may contain, by one word of each: a title has few words, while there are
// hundreds of wordings.
type wordingIndex struct {
	rules  []wordingRule
	byWord map[string][]indexedWording
}

type indexedWording struct {
	rule    int
	wording string
}

var wordingRules = newWordingIndex(noiseWordings, wordings)

func newWordingIndex(tables ...[]wordingRule) *wordingIndex {
	x := &wordingIndex{rules: slices.Concat(tables...), byWord: map[string][]indexedWording{}}
	for n, r := range x.rules {
		for _, w := range r.wordings {
			key := slices.MaxFunc(splitWords(w), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
			x.byWord[key] = append(x.byWord[key], indexedWording{n, w})
		}
	}
	return x
}

// findRule returns the table's first rule with a wording in the title; nil when there is none.
func (x *wordingIndex) findRule(title, platform string) *wordingRule {
	title = strings.ToLower(title)
	first := len(x.rules)
	for _, word := range splitWords(title) {
		for _, p := range x.byWord[word] {
			if p.rule < first && x.rules[p.rule].isFor(platform) && hasWording(title, p.wording) {
				first = p.rule
			}
		}
	}
	if first == len(x.rules) {
		return nil
	}
	return &x.rules[first]
}

// hasWording reports whether a title contains a wording. In it, " * " stands for anything.
func hasWording(title, wording string) bool {
	for part := range strings.SplitSeq(wording, " * ") {
		_, after, found := strings.Cut(title, part)
		if !found {
			return false
		}
		title = after
	}
	return true
}

func (r *wordingRule) isFor(platform string) bool {
	return len(r.platforms) == 0 || slices.Contains(r.platforms, platform)
}

// splitWords returns the runs of letters and digits of a text.
func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		isWordRune := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r >= 0x80
		return !isWordRune
	})
}

var typeRules = indexTypes(types)

func indexTypes(table []typeRule) map[string]*typeRule {
	index := map[string]*typeRule{}
	for n := range table {
		for _, name := range table[n].types {
			index[name] = &table[n]
		}
	}
	return index
}

// findEndingRule returns the rule for a type that is not in the table but ends, or begins, like a group of errors.
func findEndingRule(kind string) *typeRule {
	for n := range endings {
		for _, part := range endings[n].types {
			if strings.Contains(kind, part) {
				return &endings[n]
			}
		}
	}
	return nil
}

// plainType returns the name of an exception's type in lower case, without package, pointer and type arguments.
func plainType(kind string) string {
	if end := strings.IndexAny(kind, "`[<({ @"); end > 0 {
		kind = kind[:end]
	}
	return strings.ToLower(kind[strings.LastIndexAny(kind, `.\:/*$`)+1:])
}
