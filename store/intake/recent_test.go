package intake_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/intake"
)

func TestRecent(t *testing.T) {
	t.Parallel()
	r := intake.NewRecent[int, string](3)
	has := func(keys ...int) (list []bool) {
		for _, k := range keys {
			_, ok := r.Get(k)
			list = append(list, ok)
		}
		return list
	}
	for k := range 3 {
		r.Add(k, "first")
	}
	r.Add(1, "second")
	v, ok := r.Get(1)
	require.True(t, ok)
	require.Equal(t, "second", v)
	r.Add(3, "") // now the first three are the older generation
	require.Equal(t, []bool{true, true, false}, has(0, 3, 9))
	r.Add(4, "")
	r.Add(5, "") // and they are dropped, except the one that was used
	require.Equal(t, []bool{true, false, false, true, true, true}, has(0, 1, 2, 3, 4, 5))
}
