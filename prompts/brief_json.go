package prompts

import (
	"errand/core"
)

// jsonSizes bound the texts and lists in the JSON of a brief.
type jsonSizes struct {
	exceptions  int
	frames      int // in the whole event
	text        int // bytes of a message
	breadcrumbs int
	value       int // bytes of each free-form part, such as tags and contexts
}

var usualSizes = jsonSizes{exceptions: maxExceptions, frames: 40, text: maxWholeText, breadcrumbs: 20, value: 4000}

// maxEventJSON is the longest JSON of the event, in bytes.
const maxEventJSON = 48 << 10

// halve returns sizes that are half as large.
func (s jsonSizes) halve() jsonSizes {
	return jsonSizes{
		exceptions: max(1, s.exceptions/2), frames: s.frames / 2, text: s.text / 2, breadcrumbs: s.breadcrumbs / 2, value: s.value / 2,
	}
}

// makeBoundedEvent returns the event for the JSON, within its bound.
func (b *brief) makeBoundedEvent() *core.BriefEvent {
	made := map[*core.Frame]core.BriefFrame{} // a frame is the same at each size
	for sizes := usualSizes; ; sizes = sizes.halve() {
		event := b.makeEvent(sizes, made)
		if event == nil || sizes.frames == 0 || measureEvent(event) <= maxEventJSON {
			return event
		}
	}
}

// makeJSON writes the brief as data. Text of the monitored app stands only under names that say so, and is clean and bounded.
func (b *brief) makeJSON(steps []step, left []string) core.BriefFacts {
	i := &b.Issue
	facts := core.BriefFacts{
		Issue: core.BriefIssue{
			ID: i.ID, Title: cleanField(i.Title, maxHeadline*2), Culprit: cleanField(i.Culprit, maxHeadline*2),
			Type: cleanField(i.Type, maxHeadline), Platform: cleanField(core.Untrusted(i.Platform), maxName),
			Level: i.Level, Status: i.Status, Trust: i.Trust, Source: i.Source, Claim: i.Claim,
			Priority: i.Priority, TimesSeen: i.TimesSeen, Events24h: i.Events24h, Events7d: i.Events7d, UsersAffected: i.UsersAffected,
			FirstSeen: i.FirstSeen, LastSeen: i.LastSeen,
			IsYours: b.findHolding() == isYours,
		},
		Approvals: b.Approvals,
		Project:   b.Project, Triage: i.Triage, Tags: makeTags(b.Tags), EventsPerHour: b.Hours, LeftOut: left,
		Event: b.makeBoundedEvent(),
		Releases: core.BriefReleases{
			First: cleanField(i.FirstRelease, maxName), Last: cleanField(i.LastRelease, maxName),
			Seen: cleanFields(b.Releases), Environments: cleanFields(b.Environments),
			FirstDeploy: makeDeploy(b.FirstDeploy), BeforeFirst: makeDeploy(b.BeforeFirst),
		},
	}
	for _, s := range steps {
		facts.NextSteps = append(facts.NextSteps, s.text)
	}
	for n := range b.Deploys {
		facts.Releases.Deploys = append(facts.Releases.Deploys, *makeDeploy(&b.Deploys[n]))
	}
	for n := range b.Notes {
		facts.Notes = append(facts.Notes, *makeNote(&b.Notes[n]))
	}
	for n := range b.Fixes {
		facts.Fixes = append(facts.Fixes, *makeFix(&b.Fixes[n]))
	}
	for n := range b.Similar {
		s := &b.Similar[n]
		facts.Similar = append(facts.Similar, core.BriefSimilar{
			ID: s.Issue.ID, Title: cleanField(s.Issue.Title, maxHeadline), Culprit: cleanField(s.Issue.Culprit, maxHeadline), Status: s.Issue.Status,
			Score: s.Score, Reasons: s.Reasons, Fix: makeFix(s.Fix), LastNote: makeNote(s.LastNote),
		})
	}
	return facts
}

// cleanField cleans a text of the monitored app.
func cleanField(text core.Untrusted, limit int) core.Untrusted {
	return core.Untrusted(cleanText(string(text), limit))
}

func cleanFields(texts []core.Untrusted) core.List[core.Untrusted] {
	list := make(core.List[core.Untrusted], len(texts))
	for i, text := range texts {
		list[i] = cleanField(text, maxName)
	}
	return list
}

func makeDeploy(d *core.ReleasedDeploy) *core.BriefDeploy {
	if d == nil {
		return nil
	}
	return &core.BriefDeploy{
		Release: cleanField(d.Release, maxName), Environment: cleanField(core.Untrusted(d.Environment), maxName), Commit: core.Text(d.Commit),
		DeployedAt: d.DeployedAt,
	}
}

func makeNote(a *core.Activity) *core.BriefNote {
	if a == nil {
		return nil
	}
	return &core.BriefNote{At: a.At, By: cleanLine(a.ActorName, maxName), Text: cleanText(noteOf(a), maxWholeText)}
}

func makeFix(f *core.Fix) *core.BriefFix {
	if f == nil {
		return nil
	}
	return &core.BriefFix{
		Kind: f.Kind, Commit: f.Commit, PRURL: f.PRURL, LinkedBy: cleanLine(f.LinkedBy, maxName), LinkedAt: f.LinkedAt, DeployedAt: f.DeployedAt,
		Release: cleanField(f.Release, maxName), Outcome: f.Outcome, VerifyAfter: f.VerifyAfter, VerifiedAt: f.VerifiedAt,
		RegressedAt: f.RegressedAt, RegressedIn: cleanField(f.RegressedIn, maxName), UnknownReleases: cleanFields(f.UnknownReleases),
	}
}
