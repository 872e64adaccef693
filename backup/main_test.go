package backup_test

import (
	"testing"

	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
