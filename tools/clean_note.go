package tools

import (
	"context"

	"errand/core"
	"errand/scrub"
)

// cleanNote masks the secrets of what a token writes about an issue, by the default rules and those of the issue's
// project. An issue that is not there has the default rules: the change that follows says so.
func (t *Tools) cleanNote(ctx context.Context, issueID int64, text string) (string, error) {
	settings, err := t.store.ReadScrubSettings(ctx, issueID)
	if core.HasCode(err, core.NotFound) {
		return scrub.DefaultRules().ScrubText(text), nil
	}
	if err != nil {
		return "", err
	}
	rules, err := scrub.NewRules(settings.ScrubKeys, settings.ScrubPatterns)
	if err != nil {
		return "", err // nothing is stored that cannot be scrubbed
	}
	return rules.ScrubText(text), nil
}
