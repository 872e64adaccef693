package envelope

import (
	"slices"
	"strings"

	"errand/core"
)

// correctRuby marks the application's frames where the SDK for Ruby marks none: it looks for them in folders such as app
// and lib of the project only, but small programs have their files beside these.
func correctRuby(frames []core.Frame, sdk string) {
	marked := slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp })
	if marked || !strings.HasPrefix(sdk, "sentry.ruby") {
		return
	}
	for i := range frames {
		frames[i].InApp = !isLibrary("ruby", &frames[i], "")
	}
}
