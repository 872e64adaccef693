// Package scrub removes secrets and control characters from events and notes before they are stored (decisions 3, Scrubbing). It
// is pure: text in, text out.
//
// A text is first cleaned of characters that hide something (clean.go), so that no zero-width space splits a secret. Then a
// survey counts the kinds of bytes in it; most texts have nothing that a secret needs and stay as they are. The others are
// scanned once, and the scan stops only at bytes that can reveal a secret (mask.go): separators after a secret's name (pairs.go),
// quotes after one (quoted.go), tags (markup.go), URLs, digits of cards, marks of known tokens (providers.go, from a list).
// prose.go, for texts, and code.go, for lines of source code, decide whether the value of a name looks like a secret. php.go,
// validation.go and sql_bound.go read what some libraries print. The project's own patterns come last.
//
// When a text cannot be judged, it is filtered: after a panic, with an exhausted budget, or for a value nested too deep.
package scrub
