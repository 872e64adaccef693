package email_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no attempt leaves anything running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
