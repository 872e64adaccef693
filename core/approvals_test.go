package core

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckHeldActions(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckHeldActions(nil))
	require.NoError(t, CheckHeldActions([]HeldAction{"ignore", "merge", "delete_project", "ignore"}))
	for _, word := range []HeldAction{"resolve", "Ignore", "", "ignore_issue", "ignore merge"} {
		err := CheckHeldActions([]HeldAction{"merge", word})
		require.ErrorContains(t, err, "ignore, merge, delete_project", word)
	}
}

// What a deployment may want to hold must be able to say so: see REQUIRE_APPROVAL in decisions 2.
func TestHoldableOperations(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, op *Operation) {
		can := slices.Contains([]string{"ignore_issue", "merge_issues", "delete_project"}, op.Name)
		require.Equal(t, can, op.Holdable())
	})
}

func TestHeldIsWhatTheErrorIsOnTheWire(t *testing.T) {
	t.Parallel()
	held, err := json.Marshal(Held{Status: ApprovalRequired, ApprovalID: 7})
	require.NoError(t, err)
	answer, err := json.Marshal(NewError(ApprovalRequired).With("approval_id", 7))
	require.NoError(t, err)
	require.JSONEq(t, string(held), string(answer))
}
