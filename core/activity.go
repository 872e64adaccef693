package core

import (
	"encoding/json"
	"regexp"
)

var activityOperations = []*Operation{ListActivity.Operation}

// Action names what somebody did, such as issue.resolve (primary API, Activity row).
type Action string

// The actions.
const (
	ActionTokenCreate      Action = "token.create"
	ActionTokenRevoke      Action = "token.revoke"
	ActionAPIKeyCreate     Action = "api_key.create"
	ActionAPIKeyRevoke     Action = "api_key.revoke"
	ActionUserCreate       Action = "user.create"
	ActionUserUpdate       Action = "user.update"
	ActionUserDelete       Action = "user.delete"
	ActionTeamCreate       Action = "team.create"
	ActionTeamUpdate       Action = "team.update"
	ActionTeamDelete       Action = "team.delete"
	ActionTeamAddMember    Action = "team.add_member"
	ActionTeamChangeRole   Action = "team.change_role"
	ActionTeamRemoveMember Action = "team.remove_member"
	ActionTeamAssignApp    Action = "team.assign_app"
	ActionTeamUnassignApp  Action = "team.unassign_app"
	ActionProjectCreate    Action = "project.create"
	ActionProjectUpdate    Action = "project.update"
	ActionIssueResolve     Action = "issue.resolve"
	ActionIssueIgnore      Action = "issue.ignore"
	ActionIssueUnresolve   Action = "issue.unresolve"
	ActionIssueReturn      Action = "issue.return"
	ActionIssueClaim       Action = "issue.claim"
	ActionIssueRelease     Action = "issue.release"
	ActionIssueClaimExpire Action = "issue.claim_expire"
	ActionIssueNote        Action = "issue.note"
	ActionIssueRegress     Action = "issue.regress"
	ActionIssueTriage      Action = "issue.triage_correction"
	ActionIssueMerge       Action = "issue.merge"
	ActionIssueSplit       Action = "issue.split"
	ActionIssueSplitFrom   Action = "issue.split_from"
	ActionIssueTag         Action = "issue.tag"
	ActionIssueUntag       Action = "issue.untag"

	ActionIssueFix         Action = "issue.fix"
	ActionIssueFixDeployed Action = "issue.fix_deployed"
	ActionIssueVerify      Action = "issue.verify"
	ActionReleaseDeploy    Action = "release.deploy"
	ActionSourceMapUpload  Action = "sourcemap.upload"
	ActionSourceMapDelete  Action = "sourcemap.delete"

	ActionWebhookCreate Action = "webhook.create"
	ActionWebhookDelete Action = "webhook.delete"
	ActionWebhookRotate Action = "webhook.rotate_secret"

	ActionApprovalRequest Action = "approval.request"
	ActionApprovalApprove Action = "approval.approve"
	ActionApprovalReject  Action = "approval.reject"
)

// Actions are all actions.
var Actions = []Action{
	ActionTokenCreate, ActionTokenRevoke, ActionAPIKeyCreate, ActionAPIKeyRevoke,
	ActionUserCreate, ActionUserUpdate, ActionUserDelete, ActionTeamCreate,
	ActionTeamUpdate, ActionTeamDelete, ActionTeamAddMember, ActionTeamChangeRole,
	ActionTeamRemoveMember, ActionTeamAssignApp, ActionTeamUnassignApp, ActionProjectCreate,
	ActionProjectUpdate, ActionIssueResolve, ActionIssueIgnore, ActionIssueUnresolve,
	ActionIssueReturn, ActionIssueClaim, ActionIssueRelease, ActionIssueClaimExpire,
	ActionIssueNote, ActionIssueRegress, ActionIssueTriage, ActionIssueMerge,
	ActionIssueSplit, ActionIssueSplitFrom, ActionIssueTag, ActionIssueUntag,
	ActionIssueFix, ActionIssueFixDeployed, ActionIssueVerify, ActionReleaseDeploy,
	ActionSourceMapUpload, ActionSourceMapDelete, ActionWebhookCreate, ActionWebhookDelete,
	ActionWebhookRotate, ActionApprovalRequest, ActionApprovalApprove, ActionApprovalReject,
}

// TargetType is the kind of thing that a row of the activity is about.
type TargetType string

// The target types.
const (
	TargetToken    TargetType = "token"
	TargetAPIKey   TargetType = "api_key"
	TargetUser     TargetType = "user"
	TargetTeam     TargetType = "team"
	TargetProject  TargetType = "project"
	TargetIssue    TargetType = "issue"
	TargetApproval TargetType = "approval"
	TargetRelease  TargetType = "release"
	TargetWebhook  TargetType = "webhook"
)

// Activity is one row of the audit timeline.
type Activity struct {
	ID         int64           `json:"id"`
	At         Time            `json:"at" always:"true"`
	ActorType  ActorType       `json:"actor_type" enum:"token|admin_token|system|user"`
	ActorID    OptInt          `json:"actor_id" doc:"Id of the token, the setup key or the user; null for the others."`
	ActorName  string          `json:"actor_name" untrusted:"true"`
	Action     Action          `json:"action"`
	TargetType TargetType      `json:"target_type"`
	TargetID   int64           `json:"target_id"`
	Data       json.RawMessage `json:"data" untrusted:"true" doc:"What the action adds, such as {from, to} or {text}; null without."`
}

// ListActivityInput filters and pages the audit timeline.
type ListActivityInput struct {
	Project ProjectRef `json:"project,omitempty" doc:"Id or slug; all when absent." plain:"true" min:"1"`
	Issue   int64      `json:"issue,omitempty" doc:"Id of an issue: what was done to it." issue:"true" min:"1"`
	Action  Action     `json:"action,omitempty" doc:"Such as issue.resolve." min:"1" max:"40"`
	Actor   string     `json:"actor,omitempty" doc:"Name of a token, or e-mail address of a person." min:"1" max:"254"`
	Since   Since      `json:"since,omitempty" doc:"At or after: 24h, 7d, or an ISO time." plain:"true"`
	Paging
}

// actionForm is the form of the name of an action.
var actionForm = regexp.MustCompile(`^[a-z_]+\.[a-z_]+$`)

// Check refuses an action that cannot be one.
func (in ListActivityInput) Check() error {
	if in.Action != "" && !actionForm.MatchString(string(in.Action)) {
		return RefuseField("action", "must be the name of an action, such as issue.resolve or token.create")
	}
	return nil
}

// ListActivity declares GET /v1/activity.
var ListActivity = DefineOperation[ListActivityInput, Page[Activity]](Operation{
	Name: "list_activity", Route: "GET /v1/activity", Scope: Admin,
	Summary: "List all activity",
	Description: "Lists who did what in the whole installation, most recent first: tokens, projects, issues, approvals; or what one actor " +
		"did, one action, or what happened in one project. list_issue_activity shows one issue only.",
	Example: `{"limit": 50}`,
	Errors:  []Code{NotFound, ProjectNotFound},
})
