package api

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"errand/core"
)

// schemeSCM is the signature of a report of source control (primary API, Authentication).
const schemeSCM = "scmSignature"

// scmErrors are the errors of the webhook of source control.
var scmErrors = []core.Code{
	core.InvalidRequest, core.InvalidSignature, core.NotFound, core.PayloadTooLarge, core.Limit, core.Internal, core.Unavailable,
}

// describeSCM documents the webhook of source control, which is not an operation.
func (d *dialect) describeSCM() *huma.Operation {
	text, number := core.Schema{"type": "string"}, core.Schema{"type": "integer"}
	answer := core.Schema{"type": "object", "required": []string{"ok"}, "properties": core.Schema{
		"ok": core.Schema{"type": "boolean"}, "projects": number, "commits": number, "merged": text, "closed": text,
		"linked":  core.Schema{"type": "array", "items": number},
		"deploys": core.Schema{"type": "array", "items": core.Schema{"type": "object"}},
		"ignored": text, "duplicate": core.Schema{"type": "boolean"},
	}}
	described := &huma.Operation{
		OperationID: "receive_report", Method: http.MethodPost, Path: scmRoute, Tags: []string{"hooks"},
		Summary: "Take a report of source control",
		Description: "For a webhook at GitHub, Gitea or Forgejo, which sends push, pull_request and deployment_status with GitHub's " +
			"payloads, of at most 2 MB. It is not there without SCM_WEBHOOK_SECRET. GitHub's own headers are read too: X-GitHub-Event, " +
			"X-GitHub-Delivery and X-Hub-Signature-256.",
		RequestBody: &huma.RequestBody{Required: true, Content: jsonContent(core.Schema{"type": "object"})},
		Responses:   map[string]*huma.Response{"200": {Description: "It was done, or ignored for a reason.", Content: jsonContent(answer)}},
		Security:    []map[string][]string{{schemeSCM: {}}},
		Extensions:  map[string]any{"x-required-scope": core.NoToken},
	}
	for _, header := range [][2]string{{"X-Scm-Delivery", "The id of the report."}, {"X-Scm-Event", "The event, such as push."}} {
		described.Parameters = append(described.Parameters,
			&huma.Param{Name: header[0], In: "header", Description: header[1], Schema: inlineSchema(text)})
	}
	for status, codes := range groupByStatus(scmErrors, d.catalogue.Errors()) {
		described.Responses[strconv.Itoa(status)] = d.describeErrors(codes)
	}
	return described
}
