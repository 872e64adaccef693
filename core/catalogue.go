package core

import (
	"fmt"
	"reflect"
	"slices"
)

// Catalogue is the operations of one API and the errors that they answer. V1 is one. Catalogues share nothing: an
// operation of one is neither served nor documented by another.
type Catalogue struct {
	operations []*Operation
	errors     ErrorForms
}

// V1 is the catalogue of the API at /v1. Its operations are shown in this order.
var V1 = NewCatalogue(v1Errors,
	accountOperations,
	activityOperations,
	apiKeyOperations,
	approvalOperations,
	briefOperations,
	eventOperations,
	fixOperations,
	issueOperations,
	issueViewOperations,
	workOperations,
	labelOperations,
	peopleOperations,
	projectOperations,
	releaseOperations,
	serverOperations,
	setupOperations,
	similarOperations,
	sourceMapOperations,
	tokenOperations,
	webhookOperations,
)

// NewCatalogue makes a catalogue of the operations of each resource. It panics on a mistake in a declaration, such as two
// operations of one name or an error without a form, since that is a mistake in the program.
func NewCatalogue(errors ErrorForms, resources ...[]*Operation) *Catalogue {
	c := &Catalogue{operations: slices.Concat(resources...), errors: errors}
	names := map[string]bool{}
	for _, op := range c.operations {
		if names[op.Name] {
			panic(fmt.Sprintf("core: two operations are called %s", op.Name))
		}
		names[op.Name] = true
		for _, code := range op.AllErrors() {
			if _, declared := errors[code]; !declared {
				panic(fmt.Sprintf("core: operation %s: the error %s has no form", op.Name, code))
			}
		}
	}
	return c
}

// Operations returns every operation, in the order of their declarations.
func (c *Catalogue) Operations() []*Operation { return slices.Clone(c.operations) }

// Tools returns the operations that are MCP tools.
func (c *Catalogue) Tools() []*Operation {
	return slices.DeleteFunc(c.Operations(), func(op *Operation) bool { return op.NotATool != "" })
}

// Errors returns the forms of the errors that the operations answer.
func (c *Catalogue) Errors() ErrorForms { return c.errors }

// Components returns the schemas of all nouns that the answers refer to, by their names.
func (c *Catalogue) Components() map[string]Schema {
	components := map[string]Schema{}
	for _, op := range c.operations {
		collectNouns(op.out, components)
		if op.derive().untrusted != nil {
			collectNouns(reflect.TypeOf(op.derive().untrusted), components)
		}
		if op.Warns {
			collectNouns(reflect.TypeFor[Warning](), components)
		}
	}
	return components
}

// contains reports whether the operation was declared for this catalogue.
func (c *Catalogue) contains(op *Operation) bool { return slices.Contains(c.operations, op) }

// collectNouns adds the schemas of the nouns in a type.
func collectNouns(t reflect.Type, components map[string]Schema) {
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		collectNouns(t.Elem(), components)
	case reflect.Struct:
		if writesItself(t) {
			return
		}
		if name := nounName(t); name != "" {
			if _, collected := components[name]; collected {
				return
			}
			components[name] = reflector{named: true}.objectSchema(t)
		}
		for _, f := range reflect.VisibleFields(t) {
			if jsonName(f) != "" {
				collectNouns(f.Type, components)
			}
		}
	}
}
