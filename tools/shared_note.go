package tools

import (
	"context"
	"strings"

	"errand/core"
	"errand/scrub"
)

// cleanOptionalNote cleans a note that may be absent. A note without visible characters is invalid_request.
func (t *Tools) cleanOptionalNote(ctx context.Context, issueID int64, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	note, err := t.cleanNote(ctx, issueID, text)
	if err == nil && strings.TrimSpace(note) == "" {
		return "", core.RefuseField("note", "must have at least 1 character that can be seen")
	}
	return note, err
}

// cleanNote masks the secrets in a token's text about an issue, by the default rules and those of the issue's
// project. For a missing issue it uses the default rules: the change that follows reports the error.
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
		return "", err // a text that cannot be scrubbed is not stored
	}
	return rules.ScrubText(text), nil
}
