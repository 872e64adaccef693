package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"errand/core"
)

// newDocument makes the OpenAPI document without its operations.
func (d *dialect) newDocument(version string) *huma.OpenAPI {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	for name, schema := range d.catalogue.Components() {
		schemas.Map()[name] = inlineSchema(schema)
	}
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: d.title, Version: version, Description: strings.TrimSuffix(d.description, "\n"),
			License: &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers:    []*huma.Server{{URL: "/"}},
		Components: &huma.Components{Schemas: schemas, SecuritySchemes: d.schemes, Responses: d.describeSharedErrors()},
		Security:   []map[string][]string{{d.usualScheme: {}}},
	}
}

// describeAll returns the document with every operation at each of its routes, and others.
func (d *dialect) describeAll(version string, others ...*huma.Operation) []byte {
	document := d.newDocument(version)
	for _, op := range d.catalogue.Operations() {
		for _, route := range routesOf(op) {
			document.AddOperation(d.describeRoute(route))
		}
	}
	for _, other := range others {
		document.AddOperation(other)
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("api: OpenAPI document of %s: %v", d.title, err))
	}
	return text
}

// inlineSchema turns one of core's schemas into Huma's, unchanged.
func inlineSchema(schema core.Schema) *huma.Schema { return &huma.Schema{Extensions: schema} }

// describeRoute documents one route of an operation.
func (d *dialect) describeRoute(r route) *huma.Operation {
	return &huma.Operation{
		OperationID: r.id,
		Method:      r.Method(),
		Path:        r.Path(),
		Tags:        []string{d.resourceOf(r.declared)},
		Summary:     r.Summary,
		Description: routeDescription(r),
		Parameters:  describeParameters(r.Operation),
		RequestBody: d.describeBody(r),
		Responses:   d.describeResponses(r.declared),
		Security:    d.schemesOf(r.declared),
		Extensions:  map[string]any{d.scopeName: d.scopeOf(r.declared)},
	}
}

func routeDescription(r route) string {
	if r.id == r.Name {
		return r.Description
	}
	return "Another path to " + r.Name + ". " + r.Description
}

func describeParameters(op *core.Operation) []*huma.Param {
	var params []*huma.Param
	for _, field := range op.Fields() {
		where := partOf(op, field.Name)
		if where == inBody {
			continue
		}
		params = append(params, &huma.Param{
			Name: field.Name, In: string(where), Description: field.Doc, Required: field.Required,
			Schema: inlineSchema(withoutDescription(field.Schema)),
		})
	}
	return params
}

// withoutDescription is the schema without its description, which a parameter has beside it.
func withoutDescription(schema core.Schema) core.Schema {
	schema = maps.Clone(schema)
	delete(schema, "description")
	return schema
}

func (d *dialect) describeBody(r route) *huma.RequestBody {
	op := r.Operation
	if op.Body != nil {
		return describeFile(op.Body)
	}
	properties, required := core.Schema{}, []string{}
	for _, field := range op.Fields() {
		if partOf(op, field.Name) != inBody {
			continue
		}
		properties[field.Name] = field.BodySchema()
		if field.Required {
			required = append(required, field.Name)
		}
	}
	if len(properties) == 0 {
		return nil
	}
	schema := core.Schema{"type": "object", "properties": properties}
	if !d.dropsUnknown {
		schema["additionalProperties"] = false
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	if wrapper := d.wrapperOf(r.declared); wrapper != "" {
		wrapped := core.Schema{"type": "object", "properties": core.Schema{wrapper: schema}, "required": []string{wrapper}}
		schema = core.Schema{"anyOf": []any{schema, wrapped}}
	}
	return &huma.RequestBody{
		Required: len(required) > 0 || op.ServedBy != "", // an event requires one of two fields
		Content:  map[string]*huma.MediaType{"application/json": {Schema: inlineSchema(schema), Example: newExample(op).Body}},
	}
}

// describeFile documents a body that is a file.
func describeFile(form *core.BodyForm) *huma.RequestBody {
	body := &huma.RequestBody{Required: true, Description: form.Doc, Content: map[string]*huma.MediaType{}}
	for _, kind := range form.Types {
		schema := core.Schema{"type": "string", "format": "binary"}
		if kind == "application/json" {
			schema = core.Schema{"type": "object"}
		}
		body.Content[kind] = &huma.MediaType{Schema: inlineSchema(schema)}
	}
	return body
}

func (d *dialect) describeResponses(op *core.Operation) map[string]*huma.Response {
	success := &huma.Response{Description: http.StatusText(op.Status)}
	if schema := op.OutputSchema(true); schema != nil {
		success.Content = jsonContent(schema)
	}
	all := map[string]*huma.Response{strconv.Itoa(op.Status): success}
	if op.FoundStatus != 0 {
		all[strconv.Itoa(op.FoundStatus)] = &huma.Response{Description: "It was there already.", Content: success.Content}
	}
	if op.IsHoldable() {
		all[strconv.Itoa(core.HeldHTTPStatus)] = &huma.Response{
			Description: fmt.Sprintf("`%s`: %s", core.HeldStatus, core.HeldMeaning), Content: jsonContent(core.HeldSchema()),
		}
	}
	for status, codes := range groupByStatus(d.codesOf(op), d.catalogue.Errors()) {
		all[strconv.Itoa(status)] = d.referErrors(codes)
	}
	return all
}

// referErrors documents the codes that share a status. A code that is alone has one description for all operations.
func (d *dialect) referErrors(codes []core.Code) *huma.Response {
	if len(codes) == 1 {
		return &huma.Response{Ref: "#/components/responses/" + string(codes[0])}
	}
	return d.describeErrors(codes)
}

// describeSharedErrors returns the descriptions that operations refer to, by code.
func (d *dialect) describeSharedErrors() map[string]*huma.Response {
	shared := map[string]*huma.Response{}
	for _, op := range d.catalogue.Operations() {
		for _, codes := range groupByStatus(d.codesOf(op), d.catalogue.Errors()) {
			if name := string(codes[0]); len(codes) == 1 && shared[name] == nil {
				shared[name] = d.describeErrors(codes)
			}
		}
	}
	return shared
}

func jsonContent(schema core.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: inlineSchema(schema)}}
}

func groupByStatus(codes []core.Code, errors core.ErrorForms) map[int][]core.Code {
	groups := map[int][]core.Code{}
	for _, code := range codes {
		status := errors[code].Status
		groups[status] = append(groups[status], code)
	}
	return groups
}

// describeErrors documents the codes that share a status.
func (d *dialect) describeErrors(codes []core.Code) *huma.Response {
	errors := d.catalogue.Errors()
	var meanings []string
	for _, code := range codes {
		meanings = append(meanings, fmt.Sprintf("`%s`: %s", code, errors[code].Meaning))
	}
	return &huma.Response{
		Description: strings.Join(meanings, "\n\n"),
		Headers:     d.failureHeaders(codes),
		Content:     jsonContent(errors.BodySchema(codes...)),
	}
}

// failureHeaders documents the headers that accompany errors: those that wire.WriteError sets, and those that ingest sets with quota.
func (d *dialect) failureHeaders(codes []core.Code) map[string]*huma.Header {
	headers := map[string]*huma.Header{}
	add := func(name, kind, doc string) {
		headers[name] = &huma.Header{Description: doc, Schema: inlineSchema(core.Schema{"type": kind})}
	}
	for _, code := range codes {
		switch {
		case code == core.Unauthorized && d.challenges:
			add("WWW-Authenticate", "string", "Bearer")
		case code == core.Unavailable, code == core.Limit:
			add("Retry-After", "integer", "Seconds to wait.")
		case code == core.Quota:
			add("Retry-After", "integer", "Seconds to wait: until 00:00 UTC, but at most 60, in which a change of the quota takes effect.")
			add("X-Sentry-Rate-Limits", "string", "The same for Sentry SDKs: <seconds>:default;error;security:project:daily_quota.")
		case code == core.TooManyIssues:
			add("Retry-After", "integer", "Seconds to wait: until the next hour.")
		}
	}
	return headers
}
