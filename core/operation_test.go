package core

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// decidedNames are the operations of decisions 2: every declared operation has its name from this list.
const decidedNames = `
list_projects create_project update_project delete_project create_project_key delete_project_key
list_issues get_issue list_issue_events list_issue_activity get_event resolve_issue ignore_issue unresolve_issue merge_issues
split_issue link_fix correct_triage claim_issue release_issue add_note find_similar get_brief next_issue
count_issues list_filter_values get_issues get_issue_hours get_issue_days get_issue_shares get_events_around change_issues
list_claims get_outcomes list_fixes try_scrubbing get_release_hours
create_deploy list_releases get_release upload_source_map list_source_maps delete_source_map list_fix_outcomes
create_webhook list_webhooks delete_webhook test_webhook list_deliveries resend_delivery list_alerts
create_setup_key list_setup_keys revoke_setup_key register_app create_agent_token send_test_event report_setup_step
get_setup_progress get_setup_guide
list_people invite_person update_person delete_person create_person_link
create_token list_tokens whoami revoke_token create_api_key list_api_keys revoke_api_key
get_account update_account list_sessions end_session end_other_sessions
list_approvals count_approvals approve_request reject_request list_activity list_labels
list_project_teams count_open_issues get_source_map_state
get_server examine_server rotate_webhook_secret
ingest_event`

// decidedNoTools are the operations that decisions 11 withholds from agents.
const decidedNoTools = `
delete_project create_token create_webhook create_setup_key revoke_token delete_webhook revoke_setup_key
approve_request reject_request upload_source_map ingest_event
count_issues list_filter_values get_issues get_issue_hours get_issue_days get_issue_shares get_events_around change_issues
list_people invite_person update_person delete_person create_person_link
list_claims get_outcomes list_fixes get_release_hours try_scrubbing create_api_key list_api_keys revoke_api_key
get_server examine_server rotate_webhook_secret
get_account update_account list_sessions end_session end_other_sessions
list_project_teams count_open_issues get_source_map_state count_approvals`

// eachOperation runs a test for every declared operation.
func eachOperation(t *testing.T, test func(t *testing.T, op *Operation)) {
	t.Helper()
	require.NotEmpty(t, V1.Operations())
	for _, op := range V1.Operations() {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			test(t, op)
		})
	}
}

func TestOperationsAreDeclaredInFull(t *testing.T) {
	t.Parallel()
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	route := regexp.MustCompile(`^(GET|POST|PATCH|DELETE) /v1(/([a-z-]+|\{[a-z_]+\}))+$`)
	scopes := []Scope{IssuesRead, IssuesWrite, ReleasesWrite, Admin, AnyToken, NoToken, SetupScope, PersonScope}
	eachOperation(t, func(t *testing.T, op *Operation) {
		require.Regexp(t, snake, op.Name)
		require.Contains(t, strings.Fields(decidedNames), op.Name, "add it to decidedNames in core/operation_test.go")
		require.Contains(t, scopes, op.Scope)
		require.Contains(t, []int{200, 201, 202, 204}, op.Status)
		require.Equal(t, op.Status == 204, op.OutputSchema(false) == nil, "204 and no body go together")
		for _, r := range append([]string{op.Route}, op.Aliases...) {
			require.Regexp(t, route, r)
		}

		require.NotEmpty(t, op.Summary)
		require.Less(t, len(op.Summary), 60)
		require.NotContains(t, op.Summary, "\n")
		require.False(t, strings.HasSuffix(op.Summary, "."), "a summary is no sentence")
		require.NotEmpty(t, op.Description)
		require.Less(t, len(op.Description), 2048, "clients cut longer descriptions")
		require.True(t, strings.HasSuffix(op.Description, "."), "a description is made of sentences")

		for _, f := range op.Fields() {
			require.NotEqual(t, f.Doc == "", f.Schema["description"] != nil, f.Name)
		}
	})
}

func TestOperationNamesAndRoutesAreUnique(t *testing.T) {
	t.Parallel()
	parameter := regexp.MustCompile(`\{[a-z_]+\}`)
	names, routes := map[string]bool{}, map[string]string{}
	for _, op := range V1.Operations() {
		require.False(t, names[op.Name], op.Name)
		names[op.Name] = true
		for _, route := range append([]string{op.Route}, op.Aliases...) {
			key := parameter.ReplaceAllString(route, "{}")
			require.Empty(t, routes[key], "%s is a route of %s already", route, op.Name)
			routes[key] = op.Name
		}
	}
}

// Every route of an operation needs the same path parameters, each a required field. Otherwise a call could not pass them.
func TestPathParametersAreFields(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, op *Operation) {
		for _, name := range op.PathParams() {
			i := slices.IndexFunc(op.Fields(), func(f Field) bool { return f.Name == name })
			require.NotEqual(t, -1, i, "no field for {%s}", name)
			require.True(t, op.Fields()[i].Required, name)
		}
		for _, alias := range op.Aliases {
			require.Equal(t, op.PathParams(), (&Operation{Route: alias}).PathParams(), alias)
		}
	})
}

func TestExamplesAreValidInputs(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, op *Operation) {
		require.NotEmpty(t, op.Example)
		args, err := DecodeArgs([]byte(op.Example))
		require.NoError(t, err)
		require.NoError(t, op.derive().input.prepareArgs(args, false))
		require.NoError(t, decodeArgs(args, reflect.New(op.in).Interface()))
	})
}

func TestErrorsOfOperationsAreInTheTable(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, op *Operation) {
		all := op.AllErrors()
		require.True(t, slices.IsSorted(all))
		require.Equal(t, slices.Compact(slices.Clone(all)), all, "no code twice")
		require.Subset(t, all, append([]Code{Internal, Unavailable}, op.Errors...))
		for _, code := range all {
			require.Contains(t, v1Errors, code)
		}
	})
}

func TestAllErrors(t *testing.T) {
	t.Parallel()
	for op, want := range map[*Operation][]Code{
		Whoami.Operation:      {Forbidden, Internal, InvalidRequest, PayloadTooLarge, Unauthorized, Unavailable},
		ListTokens.Operation:  {Forbidden, Internal, InvalidRequest, PayloadTooLarge, Unauthorized, Unavailable},
		GetIssue.Operation:    {Forbidden, Internal, InvalidRequest, NotFound, PayloadTooLarge, Unauthorized, Unavailable},
		ClaimIssue.Operation:  {Claimed, Forbidden, Internal, InvalidRequest, NotFound, PayloadTooLarge, Unauthorized, Unavailable},
		RevokeToken.Operation: {Forbidden, Internal, InvalidRequest, NotFound, PayloadTooLarge, Unauthorized, Unavailable},
		IngestEvent.Operation: {ForbiddenOrigin, Internal, InvalidRequest, PayloadTooLarge, Quota, TooManyIssues, Unauthorized, Unavailable},
	} {
		require.ElementsMatch(t, want, op.AllErrors(), op.Name)
	}
}

func TestOperationsThatTakeAwayAreNoReads(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, op *Operation) {
		if op.ReadOnly() {
			require.False(t, op.Destructive)
			require.False(t, op.Idempotent, "reading always is: do not say it again")
		}
		if op.Method() == "DELETE" {
			require.True(t, op.Destructive)
		}
	})
}

func TestToolsAreWhatWasDecided(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, op *Operation) {
		hidden := slices.Contains(strings.Fields(decidedNoTools), op.Name)
		require.Equal(t, hidden, op.NotATool != "", "decisions 11; NotATool is %q", op.NotATool)
	})
}

// A Check with a pointer receiver, or on a field that is not reached through a value, would never run.
func TestChecksAreMethodsOfValues(t *testing.T) {
	t.Parallel()
	check := reflect.TypeFor[checker]()
	eachOperation(t, func(t *testing.T, op *Operation) {
		types := []reflect.Type{op.in}
		for _, f := range reflect.VisibleFields(op.in) {
			types = append(types, f.Type)
		}
		for _, typ := range types {
			require.Equal(t, reflect.PointerTo(typ).Implements(check), typ.Implements(check), typ.String())
		}
	})
}

func TestRouteParts(t *testing.T) {
	t.Parallel()
	op := DeleteProjectKey.Operation
	require.Equal(t, "DELETE", op.Method())
	require.Equal(t, "/v1/projects/{project}/keys/{key}", op.Path())
	require.Equal(t, []string{"project", "key"}, op.PathParams())
	require.False(t, op.HasBody())
	require.False(t, op.ReadOnly())
	require.True(t, ClaimIssue.Operation.HasBody())
	require.True(t, GetIssue.Operation.ReadOnly())
	require.False(t, GetIssue.Operation.HasBody())
	require.Empty(t, ListTokens.Operation.PathParams())
	require.Equal(t, 200, GetIssue.Operation.Status)
	require.Equal(t, 201, AddNote.Operation.Status)
}

// Operations returns a copy of the table: a surface that sorts its list does not change another's.
func TestOperationsReturnsACopy(t *testing.T) {
	t.Parallel()
	ops := V1.Operations()
	first := ops[0]
	slices.Reverse(ops)
	require.Same(t, first, V1.Operations()[0])
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	reader := Actor{Type: ActorToken, ID: 1, Name: "reader", Scopes: List[Scope]{IssuesRead}}
	for name, c := range map[string]struct {
		op    *Operation
		actor Actor
		want  string // the error's JSON; empty when allowed
	}{
		"scope held":              {GetIssue.Operation, reader, ""},
		"admin has every scope":   {ClaimIssue.Operation, NewBootstrapActor(), ""},
		"any token":               {Whoami.Operation, reader, ""},
		"a token without scopes":  {Whoami.Operation, Actor{Type: ActorToken}, ""},
		"scope missing":           {ClaimIssue.Operation, reader, `{"error":"forbidden","required_scope":"issues:write"}`},
		"admin scope missing":     {CreateToken.Operation, reader, `{"error":"forbidden","required_scope":"admin"}`},
		"nobody":                  {GetIssue.Operation, Actor{}, `{"error":"unauthorized"}`},
		"nobody, for any token":   {Whoami.Operation, Actor{}, `{"error":"unauthorized"}`},
		"nobody that has a scope": {GetIssue.Operation, Actor{Scopes: List[Scope]{Admin}}, `{"error":"unauthorized"}`},
	} {
		err := c.op.AuthorizeActor(c.actor)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		body, marshalErr := json.Marshal(AsError(err))
		require.NoError(t, marshalErr)
		require.JSONEq(t, c.want, string(body), name)
	}
}

func TestDefineRefusesABadDeclaration(t *testing.T) {
	t.Parallel()
	type bad struct {
		Flag bool `json:"flag" max:"3"`
	}
	require.PanicsWithValue(t, `core: operation bad_one: field Flag: tag max:"3" does not fit the type boolean`, func() {
		DefineOperation[bad, None](Operation{Name: "bad_one"}).Operation.Fields()
	})
}
