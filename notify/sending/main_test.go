package sending_test

import (
	"testing"
	"time"

	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// Bounds of what tests wait for, and how often they look.
const (
	atMost = 30 * time.Second
	often  = 20 * time.Millisecond
)
