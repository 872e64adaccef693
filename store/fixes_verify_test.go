package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestOneFixThatCannotBeDecidedHoldsUpNone breaks the row of the first fix, in ways that may really happen.
func TestOneFixThatCannotBeDecidedHoldsUpNone(t *testing.T) {
	t.Parallel()
	for name, breakFix := range map[string]string{
		"a refused write": `ALTER TABLE fixes ADD CHECK (issue_id <> %d OR outcome IS NULL)`,
		"a panic":         `UPDATE fixes SET deploy_number = NULL WHERE issue_id = %d`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			issues := make([]int64, 3)
			for i := range issues {
				issues[i] = storetest.MakeIssue(t, s, fmt.Sprint("boom ", i))
				commit := fmt.Sprintf("%040x", i+0xabc0)
				_, err := s.LinkFix(t.Context(), storetest.MakeActor(1), issues[i], store.NewFix{Kind: core.FixByCommit, Ref: commit})
				require.NoError(t, err)
				c.Forward(time.Minute)
				_, err = s.CreateDeploy(t.Context(), storetest.MakeActor(1), store.NewDeploy{
					ProjectID: storetest.Shop, Release: fmt.Sprint(i), Environment: "production", Commit: commit, Source: core.DeployedByAPI,
				})
				require.NoError(t, err)
			}
			c.Forward(time.Minute)
			storetest.AddEvents(t, s, storetest.MakeShopEvent("boom 0", 2, s.Now())) // of 1.0, which is not a known release
			rows, err := storetest.QuerySQL(t.Context(), s, fmt.Sprintf(breakFix, issues[0]))
			require.NoError(t, err)
			rows.Close()
			require.NoError(t, rows.Err())
			c.Forward(8 * 24 * time.Hour)

			err = s.VerifyFixes(t.Context())

			require.ErrorContains(t, err, fmt.Sprintf("of issue %d cannot be decided", issues[0]))
			for i, want := range []core.Status{core.FixPending, core.Verified, core.Verified} {
				shown, err := s.ReadIssue(t.Context(), issues[i])
				require.NoError(t, err)
				require.Equal(t, want, shown.Status, "issue %d", i)
			}
		})
	}
}
