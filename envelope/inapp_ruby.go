package envelope

import (
	"slices"
	"strings"

	"errand/core"
)

// correctRuby marks the application's frames where the Ruby SDK marks none: it looks for them only in folders of the project such
// as app and lib, but small programs have their files beside these.
func correctRuby(frames []core.Frame, sdk string) {
	marked := slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp })
	if marked || !strings.HasPrefix(sdk, "sentry.ruby") {
		return
	}
	for i := range frames {
		frames[i].InApp = !isLibrary("ruby", &frames[i], "")
	}
}
