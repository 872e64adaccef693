package api

import (
	"html/template"
	"maps"
	"slices"
	"strings"

	"errand/core"
)

// The parts of the pages, as their templates see them.
type (
	docsView struct {
		Style, Icon      string // paths
		BaseURL, Version string
		Path             string // of the first page, such as /docs
		Here             string // the part that is shown; empty for the first page
		Title            string
		ScopeWord        string // Scope or Permission
		HasTools         bool   // operations are MCP tools
		Scopes           []docsScope
		Groups           []docsGroup
		Objects          []docsObject
		Errors           []docsError
		Text             string // of the page of a text
	}
	docsScope struct {
		Name       core.Scope
		Operations []docsLink
	}
	docsLink  struct{ Name, Path string }
	docsGroup struct {
		Name       string
		Operations []docsOperation
	}
	docsOperation struct {
		*core.Operation
		Needs   core.Scope
		Fields  []docsField
		Answer  template.HTML
		Curl    string
		Errors  []docsError
		Aliases []string
	}
	docsField struct {
		Name, Doc, Where string
		Type             template.HTML
		Required         bool
	}
	docsObject struct {
		Name   string
		Fields []docsField
	}
	docsError struct {
		Code    string
		Status  int
		Meaning string
		Members []docsField
	}
)

// docsScopes returns each scope with the operations that need it.
func (d *dialect) docsScopes() []docsScope {
	var scopes []docsScope
	for _, name := range d.scopes {
		scope := docsScope{Name: name}
		for _, op := range d.catalogue.Operations() {
			if d.scopeOf(op) == name {
				scope.Operations = append(scope.Operations, docsLink{op.Name, d.docsPath + "/" + partName(d.resourceOf(op)) + "#" + op.Name})
			}
		}
		if scope.Operations != nil {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

func (d *dialect) docsGroups(baseURL string) []docsGroup {
	var groups []docsGroup
	for _, op := range d.catalogue.Operations() {
		name := d.resourceOf(op)
		at := slices.IndexFunc(groups, func(g docsGroup) bool { return g.Name == name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, docsGroup{Name: name})
		}
		groups[at].Operations = append(groups[at].Operations, docsOperation{
			Operation: op, Needs: d.scopeOf(op), Fields: d.docsInputs(op), Answer: d.answerHTML(op.OutputSchema(true)),
			Curl: d.curlCommand(baseURL, op), Aliases: op.Aliases,
			Errors: slices.Concat(d.docsHeld(op), d.docsErrors(d.codesOf(op))),
		})
	}
	return groups
}

func (d *dialect) docsInputs(op *core.Operation) []docsField {
	var fields []docsField
	for _, f := range op.Fields() {
		where := string(partOf(op, f.Name))
		fields = append(fields, docsField{Name: f.Name, Doc: f.Doc, Where: where, Type: d.typeHTML(f.Schema), Required: f.Required})
		fields = append(fields, d.docsParts(f.Name, where, f.Schema)...)
	}
	return fields
}

// docsParts lists the members below a field, by path. The members of a list are the members of its elements.
func (d *dialect) docsParts(path, where string, schema core.Schema) []docsField {
	var fields []docsField
	properties, _ := schema["properties"].(core.Schema)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		part := properties[name].(core.Schema)
		doc, _ := part["description"].(string)
		at := path + "." + name
		fields = append(fields, docsField{Name: at, Doc: doc, Where: where, Type: d.typeHTML(part)})
		fields = append(fields, d.docsParts(at, where, part)...)
	}
	if items, ok := schema["items"].(core.Schema); ok {
		fields = append(fields, d.docsParts(path, where, items)...)
	}
	if either, ok := schema["oneOf"].([]any); ok { // a single value, or a list
		fields = append(fields, d.docsParts(path, where, either[0].(core.Schema))...)
	}
	return fields
}

func (d *dialect) docsObjects() []docsObject {
	components := d.catalogue.Components()
	var objects []docsObject
	for _, name := range slices.Sorted(maps.Keys(components)) {
		object := docsObject{Name: name}
		for _, member := range membersOf(components[name]) {
			doc, _ := member.schema["description"].(string)
			object.Fields = append(object.Fields, docsField{Name: member.name, Doc: doc, Type: d.typeHTML(member.schema)})
		}
		objects = append(objects, object)
	}
	return objects
}

// allCodes returns every code that an operation can answer, and the codes for unknown paths and methods.
func (d *dialect) allCodes() []core.Code {
	codes := []core.Code{core.NotFound, core.MethodNotAllowed}
	for _, op := range d.catalogue.Operations() {
		codes = append(codes, d.codesOf(op)...)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func (d *dialect) docsErrors(codes []core.Code) []docsError {
	var errors []docsError
	forms := d.catalogue.Errors()
	for _, code := range codes {
		errors = append(errors, docsError{string(code), forms[code].Status, forms[code].Meaning, d.docsMembers(code)})
	}
	slices.SortStableFunc(errors, func(a, b docsError) int { return a.Status - b.Status })
	return errors
}

// docsHeld returns the row for the held answer, if the action of one of the operations can be held. It stands with
// the errors because it too replaces the answer.
func (d *dialect) docsHeld(operations ...*core.Operation) []docsError {
	if !slices.ContainsFunc(operations, (*core.Operation).IsHoldable) {
		return nil
	}
	held := docsError{Code: core.HeldStatus, Status: core.HeldHTTPStatus, Meaning: core.HeldMeaning}
	for _, member := range membersOf(core.HeldSchema()) {
		if member.name != "status" { // it repeats the code
			doc, _ := member.schema["description"].(string)
			held.Members = append(held.Members, docsField{Name: member.name, Doc: doc, Type: d.answerHTML(member.schema)})
		}
	}
	return []docsError{held}
}

// docsMembers returns the members of an error's body beside its code.
func (d *dialect) docsMembers(code core.Code) []docsField {
	var fields []docsField
	names, schemas := d.catalogue.Errors().MembersOf(code)
	for _, name := range names {
		schema := schemas[name].(core.Schema)
		doc, _ := schema["description"].(string)
		fields = append(fields, docsField{Name: name, Doc: doc, Type: d.answerHTML(schema)})
	}
	return fields
}

// Part is the group's name in paths.
func (g docsGroup) Part() string { return partName(g.Name) }

func partName(resource string) string { return strings.ReplaceAll(resource, " ", "-") }

// Title is the group's name as a heading.
func (g docsGroup) Title() string {
	return strings.ToUpper(g.Name[:1]) + strings.ReplaceAll(g.Name[1:], "-", " ")
}
