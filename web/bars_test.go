package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBarsFitTheirBox(t *testing.T) {
	t.Parallel()
	b := newSpark([]int64{0, 1 << 40, 5})
	require.Equal(t, "M0 26v-1h7v1zM9 26v-23h7v23z", b.Path, "none is a line, the most leaves some air")
	require.Equal(t, "M18 26v-1h7v1z", b.Now)
	require.Equal(t, 25, b.Width)
	require.Equal(t, "1,099,511,627,781 events in 3 hours, at most 1,099,511,627,776 in one", b.Label)
	require.Empty(t, newSpark(nil).Path)

	c := newChart("Events", []string{"Nov 19", "Nov 20"}, []int64{1, 2})
	c.mark(1, .5, "1.4.3")
	require.Equal(t, []barRow{{"Nov 19", 1}, {"Nov 20", 2}}, c.Rows)
	require.Equal(t, []barMark{{13, "1.4.3"}}, c.Marks)
}
