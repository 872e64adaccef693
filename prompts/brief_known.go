package prompts

import (
	"encoding/json"
	"fmt"
	"strings"

	"errand/core"
)

// How much of a note is shown.
const (
	maxNote      = 1500
	maxShortNote = 300
)

// listKnown lists the earlier fixes, who holds the issue, and the notes.
func (b *brief) listKnown() (pieces []piece) {
	releases, names := "", b.nameHolder()
	for i := range b.Fixes {
		f := &b.Fixes[i]
		pieces = append(pieces, makePiece("- "+describeFix(f)).named("fix"))
		facts := []fact{{"brought by release", f.Release}, {"in", f.Environment}, {"came back in release", f.RegressedIn},
			{"unknown releases that send events", core.Untrusted(joinNames(f.UnknownReleases))}}
		if line := joinFacts(facts); line != "" {
			releases += refOf(f) + ": " + line
		}
		names += fmt.Sprintf("%s was linked by %s\n", refOf(f), cleanLine(f.LinkedBy, maxName))
	}
	if releases != "" {
		pieces = append(pieces, makeFenced(releases))
	}
	if names != "" {
		pieces = append(pieces, makeOfAgents(names))
	}
	for i := range b.Notes {
		pieces = append(pieces, describeNote(&b.Notes[i]).named("note"))
	}
	return pieces
}

// refOf names the commit or the pull request of a fix.
func refOf(f *core.Fix) string {
	if f.Kind == core.FixByCommit {
		return "commit " + shortenCommit(f.Commit)
	}
	return "pull request " + cleanLine(string(f.PRURL), maxPath)
}

// describeFix says what the fix is and how it ended.
func describeFix(f *core.Fix) string {
	text := describeOutcome(f)
	if len(f.UnknownReleases) > 0 {
		text += " But no event names the release of its deploy, and events come from releases that no deploy names: the error may go on " +
			"under another name. Give the deploy and the SDK the same release."
	}
	return text
}

func describeOutcome(f *core.Fix) string {
	text := fmt.Sprintf("Fix of %s: %s", minuteOf(f.LinkedAt), refOf(f))
	if !f.DeployedAt.IsZero() {
		text += ", deployed " + minuteOf(f.DeployedAt)
	}
	switch {
	case !f.RegressedAt.IsZero():
		return text + ". It did not hold: the error came back " + minuteOf(f.RegressedAt) + "."
	case !f.VerifiedAt.IsZero():
		return text + ". It held: verified " + minuteOf(f.VerifiedAt) + "."
	case f.DeployedAt.IsZero():
		return text + ". No deploy with it was reported."
	default:
		return text + ". How it ended is not known."
	}
}

// noteOf returns the text of a note.
func noteOf(a *core.Activity) string {
	var data struct{ Text string }
	readData(a, &data)
	return data.Text
}

// readData reads the data of a row of the activity, and reports whether it has the expected form.
func readData(a *core.Activity, data any) bool {
	return len(a.Data) > 0 && json.Unmarshal(a.Data, data) == nil
}

// describeNote quotes a note with the name of its author.
func describeNote(a *core.Activity) piece {
	by := fmt.Sprintf("- Note by %s, %s:\n", cleanLine(a.ActorName, maxName), minuteOf(a.At))
	text := noteOf(a)
	return makeOfAgents(by + quoteText(cleanText(text, maxNote))).orShort(by + quoteText(cleanText(text, maxShortNote)))
}

// quoteText puts a mark before each line of a cleaned text, so that no line can be taken for the beginning of another note.
func quoteText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(fenceLines(text)) {
		b.WriteString("  > " + line)
	}
	return endLine(b.String())
}

// listSimilar lists the similar issues, and what fixed them.
func (b *brief) listSimilar() (pieces []piece) {
	for i := range b.Similar {
		s := &b.Similar[i]
		pieces = append(pieces, makeFenced(fmt.Sprintf("issue %d: %s", s.Issue.ID, cleanLine(string(s.Issue.Title), maxName))+
			" · "+cleanLine(string(s.Issue.Culprit), maxName)).named("similar title"))
	}
	for i := range b.Similar {
		s := &b.Similar[i]
		text := fmt.Sprintf("- Issue %d, score %.2f, %s. %s", s.Issue.ID, s.Score, s.Issue.Status, strings.Join(s.Reasons, " "))
		if s.Fix != nil {
			text += " " + describeFix(s.Fix)
		}
		pieces = append(pieces, makePiece(text).named("similar issue"))
	}
	for i := range b.Similar {
		if s := &b.Similar[i]; s.LastNote != nil {
			by := fmt.Sprintf("The last note of issue %d, by %s:\n", s.Issue.ID, cleanLine(s.LastNote.ActorName, maxName))
			note := makeOfAgents(by + quoteText(cleanText(noteOf(s.LastNote), maxShortNote*2)))
			pieces = append(pieces, note.named("note of a similar issue"))
		}
	}
	return pieces
}
