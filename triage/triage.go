// Package triage decides what kind of error an issue is: a table of rules over its exception's type, its title, its crash, and
// its history (decisions 7, model rules-v1). It is pure: the same issue gets the same answer everywhere.
//
// The rules are meant to be read: noise.go, wordings.go and types.go are the table, and this file applies it. Agents read the
// answers, so they contain no text of the app.
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

// maxText bounds how much of a text is read, in bytes.
const maxText = 400

// JudgeIssue returns the triage of an issue with this crash, without corrections.
func JudgeIssue(i *core.Issue, crash Crash) core.Triage {
	v := findVerdict(i, crash)
	t := core.Triage{
		Category: v.category, Transient: v.isTransient, Noise: v.isNoise, Model: Model,
		AgentFixable: v.isFixable(), Severity: v.rateSeverity(i, crash),
	}
	t.Reasons = append(t.Reasons, v.reason)
	if text := siteReasons[crash.Site]; text != "" && !v.isNoise {
		t.Reasons = append(t.Reasons, text)
	}
	t.Reasons = append(t.Reasons, describeHistory(i)...)
	t.Confidence = v.rateConfidence(i, crash)
	return t
}

// IsNoise reports whether the triage of an issue with this crash, without corrections, says noise. It depends on nothing that changes
// while the rules and the crash stay: the issue's title, culprit, type and platform. So lists can filter by a stored answer.
func IsNoise(i *core.Issue, crash Crash) bool { return findVerdict(i, crash).isNoise }

// verdict is the answer of the winning rule, and whether the other rules agree.
type verdict struct {
	answer
	agreed, disputed bool // by the other kind of rule, over the type or over the title
}

// findVerdict finds the rule for an issue: noise first, then wordings, which say more than a type does, then types.
func findVerdict(i *core.Issue, crash Crash) verdict {
	title, kind := cutText(string(i.Title)), plainType(cutText(string(i.Type)))
	if crash.Site == Extension || isExtension(cutText(string(i.Culprit))) || isExtension(title) {
		return verdict{answer: extensionAnswer}
	}
	byTitle, byType := wordingRules.findRule(title, i.Platform), typeRules[kind]
	if byType == nil {
		byType = findEndingRule(kind)
	}
	switch {
	case isMissingInBackground(byTitle, byType, string(i.Culprit)):
		return verdict{answer: missingAnswer}
	case byTitle != nil && byType != nil:
		same := byTitle.category == byType.category
		return verdict{answer: byTitle.answer, agreed: same, disputed: !same && !byType.isGeneral && !byTitle.isNoise}
	case byTitle != nil:
		return verdict{answer: byTitle.answer}
	case byType != nil:
		return verdict{answer: byType.answer}
	}
	return verdict{answer: judgeWithoutRule(i, crash)}
}

// judgeWithoutRule returns the answer when no rule knows the type or the wording.
func judgeWithoutRule(i *core.Issue, crash Crash) answer {
	switch {
	case i.Type == "" && (i.Level == "info" || i.Level == "debug"):
		return answer{category: core.UnknownCause, confidence: 0.3, reason: "It is a message for information, not an error."}
	case crash.Site == App:
		return answer{category: core.Bug, confidence: 0.55,
			reason: "The rules do not know this kind of error; the app's own code raised or called it."}
	case i.Type != "" && crash.Site != Library:
		return answer{category: core.Bug, confidence: 0.35, reason: "It is an exception of a kind that the rules do not know."}
	case crash.Site == Library && i.Type != "":
		return answer{category: core.UnknownCause, code: inCode, confidence: 0.3,
			reason: "The rules do not know this kind of error, raised in a library that the app calls."}
	case crash.Site == Library:
		return answer{category: core.UnknownCause, confidence: 0.3, reason: "The rules do not know this message of a library."}
	}
	return answer{category: core.UnknownCause, confidence: 0.2, reason: "The rules do not know this message."}
}

// fixedByCode are the categories that a change of the app's code usually ends.
var fixedByCode = map[core.Category]bool{core.Bug: true, core.Dependency: true, core.DataCategory: true, core.Performance: true}

func (v verdict) isFixable() bool {
	switch {
	case v.isNoise:
		return false
	case v.code != byCategory:
		return v.code == inCode
	}
	return fixedByCode[v.category]
}

// rateSeverity starts from the level, which the app's authors chose, and adjusts it by the error and its frequency.
func (v verdict) rateSeverity(i *core.Issue, crash Crash) int {
	if v.isNoise {
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
	if v.isTransient || v.category == core.Client {
		s--
	}
	if v.isGrave {
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

func (v verdict) rateConfidence(i *core.Issue, crash Crash) float64 {
	sure := v.confidence
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

func describeHistory(i *core.Issue) []string {
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

// CorrectTriage returns the triage with a correction applied to the fields that it names.
func CorrectTriage(t core.Triage, c core.TriageChange, by string) core.Triage {
	if c.IsEmpty() {
		return t
	}
	c.ApplyTo(&t)
	t.CorrectedBy = core.Text(by)
	t.Reasons = append(t.Reasons[:len(t.Reasons):len(t.Reasons)], "Corrected by hand: "+strings.Join(c.FieldNames(), ", ")+".")
	return t
}

func cutText(s string) string { return s[:min(len(s), maxText)] }
