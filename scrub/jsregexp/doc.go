// Package jsregexp matches JavaScript regular expressions, in time linear in the text wherever the pattern allows it.
//
// The syntax and the meaning are those of new RegExp(pattern, "g") in ECMAScript, with the web's legacy syntax (Annex B)
// and the flags of a group, (?i:...). One thing differs: a character outside the basic plane counts as one character,
// as it does under the u flag, for matches never cut such a character in two. Two groups may not share a name.
//
// A backtracking matcher remembers where it failed, so that it enters no state twice; only a pattern with a
// back-reference, or with a repeated part that may match nothing, has states that cannot be remembered so. Work is
// counted in steps and never by the clock: the same text gives the same answer on a busy machine.
package jsregexp
