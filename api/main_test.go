package api_test

import (
	"testing"

	"errand/api/surfacetest"
	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func newSurface(t *testing.T) *surfacetest.Surface {
	t.Helper()
	return surfacetest.New(t)
}
