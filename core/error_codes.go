package core

import "net/http"

// Code names an error. Codes are part of the API: they are never renamed.
type Code string

// The error codes (primary API, Errors; decisions 1).
const (
	InvalidRequest          Code = "invalid_request"
	Unauthorized            Code = "unauthorized"
	InvalidSignature        Code = "invalid_signature"
	Forbidden               Code = "forbidden"
	ForbiddenProject        Code = "forbidden_project"
	ForbiddenOrigin         Code = "forbidden_origin"
	NotClaimHolder          Code = "not_claim_holder"
	NotFound                Code = "not_found"
	ProjectNotFound         Code = "project_not_found"
	MethodNotAllowed        Code = "method_not_allowed"
	LastKey                 Code = "last_key"
	Claimed                 Code = "claimed"
	ApprovalNotPending      Code = "approval_not_pending"
	ApprovalFailed          Code = "approval_failed"
	SimilarOff              Code = "similar_off"
	TestEventExists         Code = "test_event_exists"
	DeliveryIsPending       Code = "delivery_pending"
	PayloadTooLarge         Code = "payload_too_large"
	UnsupportedMedia        Code = "unsupported_media_type"
	InvalidSourceMap        Code = "invalid_sourcemap"
	StorageNotConfigured    Code = "storage_not_configured"
	EncryptionNotConfigured Code = "encryption_not_configured"
	EmailNotConfigured      Code = "email_not_configured"
	Quota                   Code = "quota"
	TooManyIssues           Code = "too_many_issues"
	Limit                   Code = "limit"
	HeadersTooLarge         Code = "headers_too_large"
	Internal                Code = "internal"
	Unavailable             Code = "unavailable"
)

// v1Errors is the one table of the errors of /v1: the meaning of each code, and the members of its body.
var v1Errors = ErrorForms{
	InvalidRequest: {
		Status:  http.StatusBadRequest,
		Meaning: "The input is invalid; details name each field.",
		Hint:    "Correct the fields in details and call again.",
		Members: struct {
			Details List[Detail] `json:"details" doc:"What is wrong with each field."`
		}{},
	},
	Unauthorized: {
		Status:  http.StatusUnauthorized,
		Meaning: "The token is missing, invalid or revoked.",
	},
	InvalidSignature: {
		Status:  http.StatusUnauthorized,
		Meaning: "The signature of the source-control webhook is missing or wrong.",
	},
	Forbidden: {
		Status:  http.StatusForbidden,
		Meaning: "The token lacks the required scope, or the person the required role.",
		Hint:    "Ask for a token with the scope in required_scope; whoami shows the scopes of this one.",
		Members: forbiddenMembers{},
		Next:    []string{"whoami"},
	},
	ForbiddenProject: {
		Status:  http.StatusForbidden,
		Meaning: "The token is for another app.",
		Hint:    "Use the token of that app; whoami shows the app of this one.",
		Members: reasonMember{},
		Next:    []string{"whoami"},
	},
	ForbiddenOrigin: {
		Status:  http.StatusForbidden,
		Meaning: "The request comes from a web page of a foreign origin.",
	},
	NotClaimHolder: {
		Status:  http.StatusForbidden,
		Meaning: "Only the holder of the claim or an admin may release it.",
		Hint:    "Leave the claim to its holder, or wait until claim.expires_at.",
		Members: claimMember{},
		Next:    []string{"next_issue"},
	},
	NotFound: {
		Status:  http.StatusNotFound,
		Meaning: "There is no such thing, or it is a merged issue.",
		Hint:    "The lists show what exists: list_issues, list_issue_events, list_projects, list_releases.",
		Next:    []string{"list_issues"}, // of an issue or an event
	},
	ProjectNotFound: {
		Status:  http.StatusNotFound,
		Meaning: "No project has this id or slug.",
		Hint:    "list_projects shows the projects with their ids and slugs.",
		Next:    []string{"list_projects"},
	},
	MethodNotAllowed: {
		Status:  http.StatusMethodNotAllowed,
		Meaning: "The path does not take this method; see the Allow header.",
	},
	LastKey: {
		Status:  http.StatusConflict,
		Meaning: "It is the only active key of the project.",
		Hint:    "Create another key with create_project_key first.",
	},
	Claimed: {
		Status:  http.StatusConflict,
		Meaning: "Somebody else holds the claim.",
		Hint:    "Take another issue: list_issues with claimed=false.",
		Members: claimMember{},
		Next:    []string{"next_issue", "list_issues"},
	},
	ApprovalNotPending: {
		Status:  http.StatusConflict,
		Meaning: "The request is decided already, or expired.",
		Hint:    "list_approvals shows its status.",
	},
	ApprovalFailed: {
		Status:  http.StatusConflict,
		Meaning: "The action is no longer possible; reason says why. The request is failed.",
		Members: reasonMember{},
	},
	SimilarOff: {
		Status:  http.StatusConflict,
		Meaning: "Finding similar issues is switched off in this installation.",
		Hint:    "Search by words: list_issues with search.",
		Next:    []string{"list_issues"},
	},
	TestEventExists: {
		Status:  http.StatusConflict,
		Meaning: "The app has had its test event: there is one for each app.",
		Hint:    "get_setup_progress shows when it came in; send a real error of the application next.",
	},
	DeliveryIsPending: {
		Status:  http.StatusConflict,
		Meaning: "The delivery has not ended yet: it will be tried again.",
		Hint:    "list_deliveries shows in next_attempt_at when.",
	},
	PayloadTooLarge: {
		Status:  http.StatusRequestEntityTooLarge,
		Meaning: "The body is larger than max_bytes.",
		Hint:    "Send less in one call.",
		Members: struct {
			MaxBytes int64 `json:"max_bytes" doc:"How large a body may be."`
		}{},
	},
	UnsupportedMedia: {
		Status:  http.StatusUnsupportedMediaType,
		Meaning: "The Content-Type is not one of supported.",
		Hint:    "Send one of the types in supported.",
		Members: struct {
			Supported List[string] `json:"supported" doc:"The types that are taken."`
		}{},
	},
	InvalidSourceMap: {
		Status:  http.StatusBadRequest,
		Meaning: "The source map cannot be used; reason says why.",
		Members: struct {
			Reason  string `json:"reason" enum:"not version 3|a map with sections|broken mappings|broken index|not JSON"`
			Message string `json:"message,omitempty" doc:"Where in the map, and what."`
		}{},
	},
	StorageNotConfigured: {
		Status:  http.StatusBadRequest,
		Meaning: "This installation has no storage for source maps: BLOBS is not set.",
		Hint:    "Ask whoever runs Errand to set BLOBS.",
	},
	EncryptionNotConfigured: {
		Status:  http.StatusBadRequest,
		Meaning: "This installation cannot keep the secrets of webhooks; reason says why.",
		Hint:    "Ask whoever runs Errand to set ENCRYPTION_KEYS.",
		Members: reasonMember{},
	},
	EmailNotConfigured: {
		Status:  http.StatusBadRequest,
		Meaning: "This installation sends no mail: SMTP_URL and EMAIL_FROM are not set.",
		Hint:    "Ask whoever runs Errand to set SMTP_URL and EMAIL_FROM.",
	},
	Quota: {
		Status:  http.StatusTooManyRequests,
		Meaning: "The project has used up its daily quota.",
		Hint:    "Wait until 00:00 UTC, or ask an admin for a larger quota.",
		Members: struct {
			DailyQuota int64 `json:"daily_quota,omitempty" doc:"How many events a UTC day the project takes."`
		}{},
	},
	TooManyIssues: {
		Status:  http.StatusTooManyRequests,
		Meaning: "The project has made as many new issues in this hour as it may; events of known issues are taken.",
		Hint:    "Wait until the next hour; see whether a part of the message that changes each time keeps events from being grouped.",
		Members: struct {
			NewIssuesPerHour int64 `json:"new_issues_per_hour,omitempty" doc:"How many new issues a project may make in a UTC hour."`
		}{},
	},
	Limit: {
		Status:  http.StatusTooManyRequests,
		Meaning: "This is done too often; message says what. Wait as long as Retry-After says; what a setup key has used up stays used up.",
		Hint:    "Wait and call again; message says what is done too often.",
		Members: struct {
			Message string `json:"message" doc:"What is done too often."`
		}{},
	},
	HeadersTooLarge: {
		Status:  http.StatusRequestHeaderFieldsTooLarge,
		Meaning: "The request has more than max_headers headers, or more than max_bytes of them.",
		Members: struct {
			MaxBytes   int64 `json:"max_bytes" doc:"How long the request line and the headers may be together."`
			MaxHeaders int64 `json:"max_headers" doc:"How many headers a request may have."`
		}{},
	},
	Internal: {
		Status:  http.StatusInternalServerError,
		Meaning: "Something went wrong inside; the log has it under request_id.",
		Hint:    "Try again; if it stays, report the request_id.",
		Members: struct {
			RequestID string `json:"request_id" doc:"The X-Request-Id of the answer, under which the log says what happened."`
		}{},
	},
	Unavailable: {
		Status:  http.StatusServiceUnavailable,
		Meaning: "The database is away or takes no writes for the moment, or the server is busy.",
		Hint:    "Try again in a few seconds.",
		Members: struct {
			Message string `json:"message,omitempty" doc:"For ingest: whether the event may have been stored."`
			Reason  string `json:"reason,omitempty" doc:"For readyz: what the server is waiting for."`
		}{},
	},
}

type claimMember struct {
	Claim Claim `json:"claim" doc:"Who holds the issue, and until when."`
}

type forbiddenMembers struct {
	RequiredScope Scope  `json:"required_scope,omitempty" enum:"issues:read|issues:write|releases:write|admin|setup|person|any" doc:"@lacking"`
	RequiredRole  string `json:"required_role,omitempty" enum:"viewer|member|admin|site_admin" doc:"@lackingRole"`
	Reason        string `json:"reason,omitempty" doc:"Why not, when no scope is missing: nobody decides their own request."`
}

type reasonMember struct {
	Reason string `json:"reason" doc:"Why not, in words."`
}
