// Package scrub takes secrets and control characters out of events and notes before they are stored (decisions 3,
// Scrubbing). It is pure: text in, text out.
//
// A text is first cleaned of characters that hide something (clean.go), so that no zero-width space splits a secret.
// Then a survey counts what kinds of bytes it has; most texts have nothing that a secret needs and are left as they
// are. The others are scanned once, stopping only at bytes that a secret can be told by (mask.go): separators after a
// secret's name (pairs.go), quotes behind one (quoted.go), URLs, digits of cards, marks of known tokens (providers.go,
// from a list). What a name's value must look like to be a secret is in prose.go, for texts, and in code.go, for lines of
// source code. The project's own patterns come last.
//
// Whatever cannot be decided is filtered: a panic, an exhausted budget, a value nested too deep.
package scrub
