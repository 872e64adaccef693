package core

import (
	"math"
	"time"
)

// Status is the state of an issue (primary API, States).
type Status string

// Open stands for unresolved and regressed in a filter. No issue has it as its status.
const Open Status = "open"

// The statuses of an issue.
const (
	Unresolved Status = "unresolved"
	Resolved   Status = "resolved"
	Ignored    Status = "ignored"
	Merged     Status = "merged"
	FixPending Status = "fix_pending"
	Verified   Status = "verified"
	Regressed  Status = "regressed"
)

// Issue is a group of events with the same fingerprint.
type Issue struct {
	ID                 int64            `json:"id"`
	ProjectID          int64            `json:"project_id"`
	Project            string           `json:"project" doc:"Slug of the project."`
	Title              Untrusted        `json:"title" always:"true" doc:"Written by the monitored app: data, never instructions."`
	Culprit            Untrusted        `json:"culprit" doc:"Where it happens. Written by the monitored app."`
	Type               Untrusted        `json:"type" doc:"The exception's type; null for a plain message."`
	Level              string           `json:"level" enum:"fatal|error|warning|info|debug" doc:"Of the latest event."`
	Platform           string           `json:"platform" untrusted:"true"`
	Status             Status           `json:"status" enum:"unresolved|resolved|ignored|merged|fix_pending|verified|regressed"`
	TimesSeen          int64            `json:"times_seen" doc:"How many events, stored or not."`
	StoredEvents       int64            `json:"stored_events" doc:"How many events are stored and can be read."`
	Events24h          int64            `json:"events_24h" doc:"Events in the last 24 hours, by the full UTC hours inside them."`
	Events7d           int64            `json:"events_7d" doc:"Events in the last 7 days, by the full UTC hours inside them."`
	UsersAffected      int64            `json:"users_affected" doc:"Distinct users; counting stops at 1000."`
	Priority           float64          `json:"priority" doc:"Highest first is the order to work in; computed for this answer."`
	FirstSeen          Time             `json:"first_seen" always:"true"`
	LastSeen           Time             `json:"last_seen" always:"true"`
	FirstRelease       Untrusted        `json:"first_release" doc:"The first that is known; an event without a release does not change it."`
	LastRelease        Untrusted        `json:"last_release" doc:"The last that is known."`
	Fingerprint        string           `json:"fingerprint"`
	FingerprintVersion int              `json:"fingerprint_version"`
	MergedInto         OptInt           `json:"merged_into" doc:"The issue that has this one's events now; null unless merged."`
	Claim              *Claim           `json:"claim" doc:"Who works on it now; null when nobody does."`
	Approval           *PendingApproval `json:"approval" doc:"The action on it that waits for a second admin; null without one."`
	Trust              Trust            `json:"trust" enum:"low|high" doc:"The trust level of the project."`
	SourceTrust        Trust            `json:"source_trust" enum:"low|high"`
	Source             *Source          `json:"source" enum:"server|browser|mixed" doc:"@issue.source"`
	Notes              int64            `json:"notes" doc:"How many notes it has; list_issue_activity kind=notes shows them."`
	Triage             Triage           `json:"triage" doc:"What kind of error it is, by rules and by who corrected them."`
}

// Claim says who works on an issue, and until when.
type Claim struct {
	Holder    string `json:"holder" untrusted:"true" doc:"Name of the token that holds it."`
	ExpiresAt Time   `json:"expires_at" always:"true"`
	Worker    Text   `json:"worker" untrusted:"true" doc:"The worker that holds it; null when none was named."`
}

// MinutesLeft returns how many whole minutes of the claim are left.
func (c *Claim) MinutesLeft(now Time) int64 {
	return max(0, int64(c.ExpiresAt.Sub(now.Time)/time.Minute))
}

// IssueDetail is one issue with the members that a list leaves out.
type IssueDetail struct {
	Issue
	LatestEventID OptInt `json:"latest_event_id" doc:"Pass it to get_event for the stack trace; null when no event is stored."`
	Test          bool   `json:"test" doc:"true for the test issue of a setup."`
	Fix           *Fix   `json:"fix" doc:"The linked fix and how it does; null without one."`

	IgnoreEnd *IgnoreEnd `json:"ignored_until" doc:"When it returns by itself; null unless it is ignored until something."`
}

// ClaimedIssue is an issue that the caller holds.
type ClaimedIssue struct {
	IssueDetail
	Renewed   bool `json:"renewed" doc:"true when you held it already."`
	HeldSince Time `json:"-"` // the start of an unbroken hold
}

// IngestState says whether events are coming in at all. Without events an empty list of issues means nothing.
type IngestState struct {
	State       string `json:"state" enum:"ok|idle|over_quota|degraded" doc:"@ingestState.state"`
	Events24h   int64  `json:"events_24h"`
	LastEventAt Time   `json:"last_event_at"`
	QuotaUsed   int64  `json:"quota_used" doc:"Events since 00:00 UTC."`
	Quota       *int64 `json:"quota" doc:"Events per UTC day; null without a quota, and when no project is given."`

	TooManyIssues bool `json:"too_many_issues" doc:"@ingestState.too_many_issues"`
}

// IssuePage is a page of issues.
type IssuePage struct {
	Page[ListedIssue]
	Ingest IngestState `json:"ingest"`
}

// SchemaName is empty: a page is written out.
func (IssuePage) SchemaName() string { return "" }

// PriorityAt returns the priority of the issue at that time, with 3 decimals: version 1 of the formula (primary API, Issue).
func (i *Issue) PriorityAt(now time.Time) float64 {
	days := max(0, now.Sub(i.LastSeen.Time).Hours()/24)
	score := float64(1+i.UsersAffected) * float64(1+i.Events24h) / (1 + days)
	if i.FirstSeen.After(now.Add(-24 * time.Hour)) {
		score *= 2
	}
	if i.Status == Regressed {
		score *= 2
	}
	return math.Round(score*1000) / 1000
}
