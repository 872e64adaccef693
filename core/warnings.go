package core

import (
	"context"
	"fmt"
	"slices"
)

// Warning is what the caller of a successful write should know (decisions 5).
type Warning struct {
	Code    WarningCode `json:"code" enum:"held_by_other|lease_ended"`
	Message string      `json:"message" untrusted:"true" doc:"What it means. It quotes the holder's name, which others chose."`
}

// WarningCode is the kind of a warning.
type WarningCode string

// The warnings.
const (
	HeldByOther WarningCode = "held_by_other" // somebody else, or another worker of the token, has claimed the issue
	LeaseEnded  WarningCode = "lease_ended"   // the caller's own claim on the issue ran out before the write
)

// warningsField is the member for warnings in an answer, beside data.
const warningsField = "warnings"

// Standing is whether a caller holds the issues that its call has changed.
type Standing struct {
	isKnown  bool
	holds    bool
	warnings List[Warning]
}

type standingKey struct{}

// withStanding returns the context of one call with its Standing. The store notes in it whether the caller holds the
// issues that it changes.
func withStanding(ctx context.Context) (context.Context, *Standing) {
	standing := &Standing{}
	return context.WithValue(ctx, standingKey{}, standing), standing
}

// StandingOf returns the Standing of a call; nil when it has none.
func StandingOf(ctx context.Context) *Standing {
	standing, _ := ctx.Value(standingKey{}).(*Standing)
	return standing
}

// TellHolding notes that the caller holds the issue, or that nobody does.
func (s *Standing) TellHolding(holds bool) { s.isKnown, s.holds = true, s.holds || holds }

// WarnOfHolder warns that somebody else works on the issue. A transaction may run again, so a repeated warning counts once.
func (s *Standing) WarnOfHolder(issue int64, claim Claim) {
	by := fmt.Sprintf("%q", claim.Holder)
	if claim.Worker != "" {
		by += fmt.Sprintf(", worker %q", string(claim.Worker))
	}
	s.warn(HeldByOther, fmt.Sprintf("Issue %d is claimed by %s until %s. Your change was made.",
		issue, by, claim.ExpiresAt.Format(TimeLayout)))
}

// WarnOfEnd warns that the caller's own claim ran out.
func (s *Standing) WarnOfEnd(issue int64, at Time) {
	s.warn(LeaseEnded, fmt.Sprintf("Your claim on issue %d ran out at %s. Your change was made.", issue, at.Format(TimeLayout)))
}

func (s *Standing) warn(code WarningCode, message string) {
	s.isKnown = true
	if w := (Warning{code, message}); !slices.Contains(s.warnings, w) {
		s.warnings = append(s.warnings, w)
	}
}

// has reports whether there is a warning of the kind.
func (s *Standing) has(code WarningCode) bool {
	return s != nil && slices.ContainsFunc(s.warnings, func(w Warning) bool { return w.Code == code })
}

// allowsNext reports whether a proposed tool makes sense for the caller. Nobody is advised to end work on or to take
// an issue that another holds, nor to release one that they do not hold.
func (s *Standing) allowsNext(tool string) bool {
	if s == nil || !s.isKnown {
		return true
	}
	switch tool {
	case ReleaseIssue.Operation.Name:
		return s.holds
	case ClaimIssue.Operation.Name:
		return !s.holds && !s.has(HeldByOther)
	case LinkFix.Operation.Name:
		return !s.has(HeldByOther)
	default:
		return true
	}
}
