//go:build !linux

package app

import "context"

// ReapOrphans does nothing: only containers need it, and they run Linux.
func ReapOrphans(context.Context) {}
