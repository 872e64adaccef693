package surfacetest_test

import "errand/core"

// mergeCases are the cases of merge_issues and split_issue.
var mergeCases = []parityCase{
	{core.MergeIssues.Operation, success, "agent", `{"id": $issue, "source_ids": [$resolved]}`},
	{core.MergeIssues.Operation, success, "admin", `{"id": "$resolved", "source_ids": "$issue,$issue"}`},
	{core.MergeIssues.Operation, core.NotFound, "agent", `{"id": $missing, "source_ids": [$issue]}`},
	{core.MergeIssues.Operation, core.InvalidRequest, "agent", `{"id": $merged, "source_ids": [$resolved]}`},
	{core.MergeIssues.Operation, core.InvalidRequest, "agent",
		`{"id": $issue, "source_ids": [$issue, $merged, $claimed, $missing, $resolved]}`},
	{core.MergeIssues.Operation, core.InvalidRequest, "agent", `{"id": $issue, "source_ids": []}`},
	{core.MergeIssues.Operation, core.InvalidRequest, "agent", `{"id": $issue, "source_ids": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}`},

	{core.SplitIssue.Operation, success, "agent", `{"id": $issue, "event_ids": [$event]}`},
	{core.SplitIssue.Operation, success, "admin", `{"id": "$issue", "event_ids": "$event"}`},
	{core.SplitIssue.Operation, core.NotFound, "agent", `{"id": $missing, "event_ids": [$event]}`},
	{core.SplitIssue.Operation, core.NotFound, "agent", `{"id": $merged, "event_ids": [$event]}`},
	{core.SplitIssue.Operation, core.InvalidRequest, "agent", `{"id": $resolved, "event_ids": [$event, $missing]}`},
	{core.SplitIssue.Operation, core.InvalidRequest, "agent", `{"id": $issue, "event_ids": [$event, $event]}`},
	{core.SplitIssue.Operation, core.InvalidRequest, "agent", `{"id": $issue, "event_ids": []}`},
}
