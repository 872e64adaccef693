package core

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/testkit/golden"
)

func TestCheckHeldActions(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckHeldActions(nil))
	require.NoError(t, CheckHeldActions([]HeldAction{"ignore", "merge", "delete_project", "ignore"}))
	for _, word := range []HeldAction{"no_action", "Ignore", "", "ignore_issue", "ignore merge"} {
		err := CheckHeldActions([]HeldAction{"merge", word})
		require.ErrorContains(t, err, "ignore, merge, delete_project", word)
	}
}

// The operations of all actions that REQUIRE_APPROVAL can hold are holdable: see decisions 2.
func TestHoldableOperations(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, op *Operation) {
		isHeld := slices.ContainsFunc(HeldActions(), func(word HeldAction) bool {
			return op.Name == string(word) || op.Name == string(word)+"_issue" || op.Name == string(word)+"_issues"
		})
		require.Equal(t, isHeld, op.IsHoldable(), "what answers core.OrHeld stands in the table of approvals_held.go, and the other way round")
	})
}

// callIgnore calls ignore_issue with a handler that answers this.
func callIgnore(t *testing.T, output OrHeld[Data[Issue]]) Answer {
	t.Helper()
	registry, _ := registryWith(t, BindHandler(IgnoreIssue, func(context.Context, Call, IgnoreIssueInput) (OrHeld[Data[Issue]], error) {
		return output, nil
	}))
	answer, failure := registry.Call(t.Context(), IgnoreIssue.Operation, adminCall(), map[string]any{"id": 1})
	require.Nil(t, failure)
	return answer
}

func TestHeldAnswer(t *testing.T) {
	t.Parallel()

	answer := callIgnore(t, OrHeld[Data[Issue]]{ApprovalID: 7})

	require.True(t, answer.IsHeld)
	require.Equal(t, 202, answer.Status)
	require.JSONEq(t, `{"status":"approval_required","approval_id":7}`, string(answer.Body))
}

func TestAnswerOfAnActionThatIsNotHeld(t *testing.T) {
	t.Parallel()

	answer := callIgnore(t, OrHeld[Data[Issue]]{Done: Data[Issue]{Issue{ID: 42}}})

	require.False(t, answer.IsHeld)
	require.Equal(t, 200, answer.Status)
	var got struct{ Data Issue }
	require.NoError(t, json.Unmarshal(answer.Body, &got))
	require.EqualValues(t, 42, got.Data.ID)
}

func TestHeldAnswerOfAnOperationWithoutABody(t *testing.T) {
	t.Parallel()
	for _, output := range []OrHeld[None]{{}, {ApprovalID: 7}} {
		registry, _ := registryWith(t, BindHandler(DeleteProject, func(context.Context, Call, ProjectInput) (OrHeld[None], error) {
			return output, nil
		}))

		answer, failure := registry.Call(t.Context(), DeleteProject.Operation, adminCall(), map[string]any{"project": "shop"})

		require.Nil(t, failure)
		require.Equal(t, output.ApprovalID == 7, answer.IsHeld)
		require.Equal(t, output.ApprovalID == 0, answer.Body == nil)
	}
}

// The row of REQUIRE_APPROVAL in the documentation is written by make golden.
func TestDocumentationNamesTheHeldActions(t *testing.T) {
	t.Parallel()
	const path = "../docs/configuration.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	row := regexp.MustCompile("(\\| `REQUIRE_APPROVAL` \\|[^|]*a comma list of ).*?(, or `none`)")
	require.True(t, row.Match(text))

	words := "`" + strings.ReplaceAll(ListHeldActions(), ", ", "`, `") + "`"

	golden.CheckFile(t, path, row.ReplaceAllString(string(text), "${1}"+words+"${2}"))
}
