package prompts

import (
	"fmt"
	"strings"

	"errand/core"
)

// The limits for tags.
const (
	maxTagKeys  = 14
	manyValues  = 10 // a tag with more values, none of them frequent, is only counted
	maxTagValue = 60 // bytes
)

// describeTags says what the newest events have in common, and how they differ; empty when they have no tags.
func (b *brief) describeTags() string {
	var same, differ []string
	for i := range b.Tags[:min(len(b.Tags), maxTagKeys)] {
		shares := &b.Tags[i]
		key := cleanLine(string(shares.Key), maxTagValue)
		if shares.Distinct == 1 && shares.Events == shares.Of {
			same = append(same, key+" "+cleanLine(string(shares.Values[0].Value), maxTagValue))
		} else {
			differ = append(differ, "  "+key+": "+describeShares(shares)+"\n")
		}
	}
	text := ""
	if len(same) > 0 {
		text = fmt.Sprintf("all of the newest %d events: %s\n", b.Tags[0].Of, strings.Join(same, " · "))
	}
	if len(differ) > 0 {
		text += fmt.Sprintf("of the newest %d events:\n%s", b.Tags[0].Of, strings.Join(differ, ""))
	}
	return text
}

// describeShares says which share of the events has which value: "Chrome 131 71 %, Firefox 132 20 %, 3 others".
func describeShares(shares *core.TagShares) string {
	of := func(events int64) int64 { return (100*events + shares.Of/2) / shares.Of }
	if shares.Distinct > manyValues && of(shares.Values[0].Events) <= manyValues {
		return fmt.Sprintf("%d different values in %s", shares.Distinct, countThings(shares.Events, "event"))
	}
	list := make([]string, 0, len(shares.Values)+1)
	for _, value := range shares.Values {
		list = append(list, fmt.Sprintf("%s %d %%", cleanLine(string(value.Value), maxTagValue), of(value.Events)))
	}
	if others := shares.Distinct - int64(len(shares.Values)); others > 0 {
		list = append(list, countThings(others, "other"))
	}
	if none := shares.Of - shares.Events; none > 0 {
		list = append(list, fmt.Sprintf("none %d %%", of(none)))
	}
	return strings.Join(list, ", ")
}

// makeTags returns the shares with cleaned texts.
func makeTags(tags []core.TagShares) core.List[core.TagShares] {
	list := make(core.List[core.TagShares], 0, min(len(tags), maxTagKeys))
	for i := range tags[:min(len(tags), maxTagKeys)] {
		shares := tags[i]
		shares.Key = cleanField(shares.Key, maxTagValue)
		shares.Values = make(core.List[core.TagShare], len(tags[i].Values))
		for n, value := range tags[i].Values {
			shares.Values[n] = core.TagShare{Value: cleanField(value.Value, maxName), Events: value.Events}
		}
		list = append(list, shares)
	}
	return list
}
