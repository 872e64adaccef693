package scrub

import "errand/core"

// CleanRelease returns the name of a release for comparison: one line of at most 200 characters without surrounding space,
// control characters, direction marks and invisible characters (decisions 3). Every way in calls it.
func CleanRelease(text string) string { return cleanName(text, core.MaxRelease) }

// CleanEnvironment is CleanRelease for the name of an environment, of at most 64 characters.
func CleanEnvironment(text string) string { return cleanName(text, core.MaxEnvironment) }

// CleanDist is CleanRelease for the name of a build of a release, of at most 64 characters.
func CleanDist(text string) string { return cleanName(text, core.MaxDist) }

// StoreRelease returns the stored name of a release: cleaned, and masked by the rules (core.StoreName).
func (r *Rules) StoreRelease(text string) string { return r.storeName(text, core.MaxRelease) }

// StoreEnvironment is StoreRelease for the name of an environment.
func (r *Rules) StoreEnvironment(text string) string { return r.storeName(text, core.MaxEnvironment) }

// storeName masks the whole text before it cuts it: half of a secret is not recognised.
func (r *Rules) storeName(text string, most int) string {
	return core.StoreName(cleanName(text, most), core.OneLine(r.ScrubText(text), most))
}

func cleanName(text string, most int) string {
	if isPlainName(text) {
		return core.OneLine(text, most)
	}
	return core.OneLine(cleanCharacters(text), most)
}

// isPlainName reports whether a text has nothing that cleanCharacters looks for, like most names.
func isPlainName(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
