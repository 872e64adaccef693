package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestDigestsOfTheDatabase compares the derived columns with the function that the code uses to compare names.
func TestDigestsOfTheDatabase(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for _, name := range []string{
		"1.0", `back\slash`, `\x41`, "ünïcödé", "発売 1", "emoji 🛒", "quote'", "a%b_c", "[Filtered]", "app@1.0+378282246310005", "0123456789abcdef",
	} {
		deploy, err := s.CreateDeploy(t.Context(), storetest.MakeActor(1), store.NewDeploy{
			ProjectID: storetest.Shop, Release: name, Environment: "production", Commit: "abcdef1234567", Source: core.DeployedByAPI,
		})
		require.NoError(t, err, name)
		stored := storetest.ReadCell[string](t, s, `SELECT release FROM deploys WHERE id = $1`, deploy.ID)
		require.Equal(t, core.DigestName(name), core.DigestName(stored), name)
		for _, digest := range []string{"digest", store.DigestOfRelease} {
			inDatabase := storetest.ReadCell[string](t, s, "SELECT "+digest+" FROM deploys n WHERE id = $1", deploy.ID)
			require.Equal(t, core.DigestName(stored), inDatabase, name)
		}
	}
}
