package triage

import (
	"cmp"
	"slices"
	"strings"

	"errand/core"
)

// answer is what a rule says of an issue.
type answer struct {
	category  core.Category
	transient bool
	noise     bool
	grave     bool // worse than its level says: data or the whole service is in danger
	code      code
	sure      float64
	reason    string
	general   bool // a type that says little, which a wording may overrule without doubt
}

// code says whether a change of the app's code can end the error, where its category does not tell.
type code uint8

const (
	byCategory code = iota
	inCode
	notInCode
)

// wordingRule is a rule for titles that have one of the wordings, in any case. Each wording is made of whole words, and
// may have gaps: " * ".
type wordingRule struct {
	answer
	platforms []string // only events of these; empty: any
	wordings  []string
}

// typeRule is a rule for exceptions of the types, by their names in small letters without packages.
type typeRule struct {
	answer
	types []string
}

// wordingIndex finds the rules whose wordings a title may have by one word of each: a title has few words, while there
// are hundreds of wordings.
type wordingIndex struct {
	rules  []wordingRule
	byWord map[string][]wordingPlace
}

type wordingPlace struct {
	rule    int
	wording string
}

var wordingRules = newWordingIndex(noiseWordings, wordings)

func newWordingIndex(tables ...[]wordingRule) *wordingIndex {
	x := &wordingIndex{rules: slices.Concat(tables...), byWord: map[string][]wordingPlace{}}
	for n, r := range x.rules {
		for _, w := range r.wordings {
			key := slices.MaxFunc(words(w), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
			x.byWord[key] = append(x.byWord[key], wordingPlace{n, w})
		}
	}
	return x
}

// find gives the first rule of the table that has a wording of the title; nil for none.
func (x *wordingIndex) find(title, platform string) *wordingRule {
	title = strings.ToLower(title)
	first := len(x.rules)
	for _, word := range words(title) {
		for _, p := range x.byWord[word] {
			if p.rule < first && x.rules[p.rule].isFor(platform) && has(title, p.wording) {
				first = p.rule
			}
		}
	}
	if first == len(x.rules) {
		return nil
	}
	return &x.rules[first]
}

// has tells whether a title has a wording, whose " * " stands for anything.
func has(title, wording string) bool {
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

// words gives the runs of letters and digits of a text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r >= 0x80)
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

// endingOf gives the rule for a type that is not in the table but ends, or begins, like a sort of errors.
func endingOf(kind string) *typeRule {
	for n := range endings {
		for _, part := range endings[n].types {
			if strings.Contains(kind, part) {
				return &endings[n]
			}
		}
	}
	return nil
}

// plainType is the name of an exception's type in small letters, without package, pointer and type arguments.
func plainType(kind string) string {
	if end := strings.IndexAny(kind, "`[<({ @"); end > 0 {
		kind = kind[:end]
	}
	return strings.ToLower(kind[strings.LastIndexAny(kind, `.\:/*$`)+1:])
}
