package notify_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds that no attempt leaves anything running behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
