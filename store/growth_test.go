package store_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestEveryTableSaysWhatEndsItsRows compares docs/growth.md with the schema. Partitions are parts of their table.
func TestEveryTableSaysWhatEndsItsRows(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	tables := storetest.ReadCell[[]string](t, s, `
SELECT array_agg(relname::text ORDER BY relname) FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
	page, err := os.ReadFile("../docs/growth.md")
	require.NoError(t, err)

	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+) \\| .+ \\| .+ \\| .+ \\|$").FindAllStringSubmatch(string(page), -1) {
		for name := range strings.SplitSeq(row[1], ",") {
			listed = append(listed, strings.Trim(name, "` "))
		}
	}
	slices.Sort(listed)

	require.Equal(t, tables, listed, "the tables of docs/growth.md")
}
