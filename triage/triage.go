// Package triage says what kind of error an issue is: a table of rules over its exception's type, its title, where it
// crashed, and its history (decisions 7, model rules-v1). It is pure: the same issue gives the same answer everywhere.
//
// The rules are meant to be read: noise.go, wordings.go and types.go are the table, this file is what is done with it.
// What they say of an issue is read by agents, so no text of the app is in it.
package triage

import (
	"math"
	"strings"

	"errand/core"
)

// Model names this version of the rules.
const Model = "rules-v1"

// How often an issue must happen to be worse than its error alone.
const (
	manyUsers  = 100
	manyEvents = 1000 // in 24 hours
)

// longest bounds what is read of a text, in bytes.
const longest = 400

// Of gives the triage of an issue that crashed at the site, without corrections.
func Of(i *core.Issue, crash Crash) core.Triage {
	v := judge(i, crash)
	t := core.Triage{
		Category: v.category, Transient: v.transient, Noise: v.noise, Model: Model,
		AgentFixable: v.fixable(), Severity: v.severity(i, crash),
	}
	t.Reasons = append(t.Reasons, v.reason)
	if text := siteReasons[crash.Site]; text != "" && !v.noise {
		t.Reasons = append(t.Reasons, text)
	}
	t.Reasons = append(t.Reasons, history(i)...)
	t.Confidence = v.confidence(i, crash)
	return t
}

// verdict is the answer of the rule that won, and what the others say of it.
type verdict struct {
	answer
	agreed, disputed bool // by the other kind of rule: one over the type, one over the title
}

// judge finds the rule for an issue: noise first, then wordings, which say more than a type does, then types.
func judge(i *core.Issue, crash Crash) verdict {
	title, kind := clip(string(i.Title)), plainType(clip(string(i.Type)))
	if crash.Site == Extension || isExtension(clip(string(i.Culprit))) || isExtension(title) {
		return verdict{answer: extension}
	}
	byTitle, byType := wordingRules.find(title, i.Platform), typeRules[kind]
	if byType == nil {
		byType = endingOf(kind)
	}
	switch {
	case byTitle != nil && byType != nil:
		same := byTitle.category == byType.category
		return verdict{answer: byTitle.answer, agreed: same, disputed: !same && !byType.general && !byTitle.noise}
	case byTitle != nil:
		return verdict{answer: byTitle.answer}
	case byType != nil:
		return verdict{answer: byType.answer}
	}
	return verdict{answer: unruled(i, crash)}
}

// unruled is the answer where no rule knows the type or the wording.
func unruled(i *core.Issue, crash Crash) answer {
	switch {
	case i.Type == "" && (i.Level == "info" || i.Level == "debug"):
		return answer{category: core.UnknownCause, sure: 0.3, reason: "It is a message for information, not an error."}
	case crash.Site == App:
		return answer{category: core.Bug, sure: 0.55, reason: "The rules do not know this kind of error; the app's own code raised or called it."}
	case i.Type != "" && crash.Site != Library:
		return answer{category: core.Bug, sure: 0.35, reason: "It is an exception of a kind that the rules do not know."}
	case crash.Site == Library:
		return answer{category: core.UnknownCause, sure: 0.3, reason: "The rules do not know this kind of error, raised in a library."}
	}
	return answer{category: core.UnknownCause, sure: 0.2, reason: "The rules do not know this message."}
}

// byCode are the categories that a change of the app's code usually ends.
var byCode = map[core.Category]bool{core.Bug: true, core.Dependency: true, core.DataCategory: true, core.Performance: true}

func (v verdict) fixable() bool {
	switch {
	case v.noise:
		return false
	case v.code != byCategory:
		return v.code == inCode
	}
	return byCode[v.category]
}

// severity starts from the level, as the app's authors chose it, and goes by what happened and how often.
func (v verdict) severity(i *core.Issue, crash Crash) int {
	if v.noise {
		return core.SeverityLow
	}
	s := core.SeverityMedium
	switch i.Level {
	case "fatal":
		s = core.SeverityCritical
	case "error":
		if crash.Handled == nil || !*crash.Handled {
			s = core.SeverityHigh
		}
	case "info", "debug":
		s = core.SeverityLow
	}
	if v.transient || v.category == core.Client {
		s--
	}
	if v.grave {
		s++
	}
	if isWidespread(i) {
		s++
	}
	if i.Status == core.Regressed {
		s++
	}
	return min(max(s, core.SeverityLow), core.SeverityCritical)
}

func isWidespread(i *core.Issue) bool {
	return i.UsersAffected >= manyUsers || i.Events24h >= manyEvents
}

func (v verdict) confidence(i *core.Issue, crash Crash) float64 {
	sure := v.sure
	if v.agreed {
		sure += 0.05
	}
	if v.disputed {
		sure -= 0.15
	}
	switch {
	case v.category != core.Bug:
	case crash.Site == App:
		sure += 0.05
	case crash.Site == NoStack:
		sure -= 0.1
	}
	if i.Trust == core.TrustLow {
		sure -= 0.05
	}
	return math.Round(min(max(sure, 0.05), 0.99)*100) / 100
}

func history(i *core.Issue) []string {
	var reasons []string
	if isWidespread(i) {
		reasons = append(reasons, "It happens to many users or many times a day.")
	}
	if i.Status == core.Regressed {
		reasons = append(reasons, "It came back after a fix.")
	}
	if i.Trust == core.TrustLow {
		reasons = append(reasons, "Anybody on the web can send events to this project, so they may be made up.")
	}
	return reasons
}

// Correct gives the triage with a correction in the place of the fields that it names.
func Correct(t core.Triage, c core.TriageChange, by string) core.Triage {
	if c.IsEmpty() {
		return t
	}
	c.ApplyTo(&t)
	t.CorrectedBy = core.Text(by)
	t.Reasons = append(t.Reasons[:len(t.Reasons):len(t.Reasons)], "Corrected by hand: "+strings.Join(c.FieldNames(), ", ")+".")
	return t
}

func clip(s string) string { return s[:min(len(s), longest)] }
