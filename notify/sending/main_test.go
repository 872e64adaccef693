package sending_test

import (
	"testing"
	"time"

	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The bounds of waiting in tests, and the pauses between looks.
const (
	atMost = 30 * time.Second
	often  = 20 * time.Millisecond
)
