package core

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Operation is one call of the API, the same over REST and MCP. Both surfaces derive everything they show from it and
// from its input and output types.
type Operation struct {
	Name        string   // operationId and name of the MCP tool
	Route       string   // method and path, such as "POST /v1/issues/{id}/claim"
	Aliases     []string // further routes to the same operation
	Scope       Scope    // the scope that the caller needs
	OrScope     Scope    // another scope that is enough; empty for none
	Status      int      // HTTP status of success; 200 when not set
	FoundStatus int      // status when the object to make existed before; 0 when it always makes one. The output is a FoundOutput.
	Summary     string   // a few words
	Description string   // for readers who will act on it without asking
	Example     string   // a valid input, as JSON
	Errors      []Code   // errors besides those that every call can have
	OnlyReads   bool     // it changes nothing although it is a POST
	Idempotent  bool     // a repeat changes nothing more; always true of reading
	Destructive bool     // it removes something
	Warns       bool     // it changes an issue, whether or not the caller holds it; the answer may have warnings beside data
	NotATool    string   // the reason why it is not an MCP tool; empty when it is one
	ServedBy    string   // the package that serves a body other than plain JSON; empty for the registry

	Next []string // the tools that usually follow, the likeliest first; an answer to a model has the first two that it may call

	Body *BodyForm // the body when it is a file, with the fields in the path and the query; nil for JSON fields

	in, out    reflect.Type // without OrHeld
	isHoldable bool
	derive     func() *derived // what follows from the types; a start does not wait for it
}

// derived is what follows from the types of an operation.
type derived struct {
	input     *input
	untrusted *UntrustedMark // in its answers; nil when they have no text of the app
	freeForm  []string       // paths of the free-form JSON in its answers
	isProse   bool
}

// BodyForm describes the body of an operation that takes a file, such as a source map.
type BodyForm struct {
	Types    []string // its media types
	MaxBytes int64
	Doc      string
}

// FileBody is the body of a call that carries a file. The handler reads it. Beyond the operation's MaxBytes the
// reader returns the error payload_too_large.
type FileBody struct {
	Type   string // its media type, without parameters
	Size   int64  // as announced by the sender; 0 or less when unknown
	Reader io.Reader

	// A build tool sent the source map, inside this process: sections are accepted, and a map without a debug id
	// takes the id of its file.
	IsOfBuild bool
	DebugID   string
}

// checkFile refuses a body of another type, and one whose announced size is too large.
func (f *BodyForm) checkFile(body *FileBody) error {
	switch {
	case body == nil || !slices.Contains(f.Types, body.Type):
		return NewError(UnsupportedMedia).With("supported", f.Types)
	case body.Size > f.MaxBytes:
		return NewError(PayloadTooLarge).With("max_bytes", f.MaxBytes)
	}
	return nil
}

// Op is a declared operation with its input and output types. It does not embed the operation: the linker would keep all its
// methods a second time for each operation.
type Op[In, Out any] struct{ Operation *Operation }

// None is the output of an operation that answers 204 without a body.
type None struct{}

// SchemaName is empty: a body is absent.
func (None) SchemaName() string { return "" }

// Data is a single object on the wire: {data: <object>} (decisions 1).
type Data[T any] struct {
	Data T `json:"data"`
}

// SchemaName is empty: the object in data has a name.
func (Data[T]) SchemaName() string { return "" }

func (d Data[T]) unwrap() any { return d.Data }

// wrapper is Data of any type.
type wrapper interface{ unwrap() any }

// prose is an object whose purpose is a text for agents. Over MCP the text is the whole answer, over REST a member of
// the object (decisions 11).
type prose interface{ Prose() string }

// proseOf returns the object in an output if it is prose.
func proseOf(output any) (prose, bool) {
	if wrapped, ok := output.(wrapper); ok {
		output = wrapped.unwrap()
	}
	text, ok := output.(prose)
	return text, ok
}

// DefineOperation declares an operation; the list of its resource puts it into a catalogue. A mistake in the types is a
// mistake in the program: the first use of the operation panics, and a test uses each.
func DefineOperation[In, Out any](op Operation) Op[In, Out] {
	return Op[In, Out]{op.complete(reflect.TypeFor[In](), reflect.TypeFor[Out]())}
}

// complete returns the operation with the types of its input and output.
func (o Operation) complete(in, out reflect.Type) *Operation {
	if o.Status == 0 {
		o.Status = 200
	}
	o.in, o.out = in, out
	if output, ok := reflect.Zero(out).Interface().(holdable); ok {
		o.out, o.isHoldable = output.outputType(), true
	}
	name, warns, out := o.Name, o.Warns, o.out
	o.derive = sync.OnceValue(func() *derived {
		compiled, err := compileInput(in)
		if err != nil {
			panic(fmt.Sprintf("core: operation %s: %v", name, err))
		}
		d := &derived{input: compiled, untrusted: findMark(out, warns), freeForm: findFreeForm(out, "")}
		_, d.isProse = proseOf(reflect.Zero(out).Interface())
		return d
	})
	return &o
}

// Method is the HTTP method of the operation.
func (o *Operation) Method() string { method, _, _ := strings.Cut(o.Route, " "); return method }

// Path is the path of the operation, with its parameters in braces.
func (o *Operation) Path() string { _, path, _ := strings.Cut(o.Route, " "); return path }

// PathParams returns the names in braces in the path, such as id.
func (o *Operation) PathParams() []string {
	var names []string
	for part := range strings.SplitSeq(o.Path(), "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// ReadOnly reports whether the operation changes nothing.
func (o *Operation) ReadOnly() bool { return o.Method() == "GET" || o.OnlyReads }

// HasBody reports whether the fields that are not in the path are sent in the body. Otherwise they are in the query.
func (o *Operation) HasBody() bool {
	return o.Method() != "GET" && o.Method() != "DELETE" && o.Body == nil
}

// Fields returns the input's fields in the order of their declaration.
func (o *Operation) Fields() []Field { return o.derive().input.fields }

// InputSchema is the JSON Schema of the flat input, complete and without references.
func (o *Operation) InputSchema() Schema { return o.derive().input.schema }

// OutputSchema is the JSON Schema of the answer's body; nil for an operation without one.
// If named is set, nouns are references into Components instead of being written out.
func (o *Operation) OutputSchema(named bool) Schema {
	if o.out == reflect.TypeFor[None]() {
		return nil
	}
	r := reflector{named: named}
	schema := r.typeSchema(o.out)
	if o.Warns {
		schema = r.objectSchema(o.out) // most answers have no warnings, and then no such member
		schema["properties"].(Schema)[warningsField] = r.typeSchema(reflect.TypeFor[List[Warning]]())
	}
	if o.derive().untrusted != nil {
		if !o.Warns {
			schema = r.objectSchema(o.out)
		}
		schema["properties"].(Schema)["untrusted"] = r.typeSchema(reflect.TypeFor[UntrustedMark]())
		required, _ := schema["required"].([]string)
		schema["required"] = append(slices.Clone(required), "untrusted")
	}
	return schema
}

// Untrusted returns the paths of the monitored app's text in the answers; nothing when there is none.
func (o *Operation) Untrusted() []string {
	if o.derive().untrusted == nil {
		return nil
	}
	return slices.Clone(o.derive().untrusted.Paths)
}

// IsHoldable reports whether the operation's action can be held for approval. Its answer is then the output or a Held.
func (o *Operation) IsHoldable() bool { return o.isHoldable }

// IsProse reports whether a text for agents is the whole answer over MCP: Answer.Prose instead of its Body.
func (o *Operation) IsProse() bool { return o.derive().isProse }

// AllErrors returns the codes of all errors that the operation can answer, including those that every operation can.
func (o *Operation) AllErrors() []Code {
	all := slices.Clone(o.Errors)
	if o.ServedBy == "" {
		// Every call can have an unknown field. A body is read even when no field belongs in it.
		all = append(all, Unauthorized, InvalidRequest, PayloadTooLarge)
		if o.Scope != AnyToken {
			all = append(all, Forbidden)
		}
	}
	all = append(all, Internal, Unavailable)
	slices.Sort(all)
	return slices.Compact(all)
}

// FoundOutput is the output of an operation that may find the object which it was asked to make.
type FoundOutput interface{ WasFound() bool }

// AuthorizeActor returns nil when the actor may call the operation, else unauthorized or forbidden. For a person the
// right in one project is enough.
func (o *Operation) AuthorizeActor(a Actor) error {
	switch {
	case a.OnlyProject && ofInstallation[o]:
		return NewError(Forbidden).With("required_scope", o.Scope).Tell("hint", "This token stays in its project: see only_project in whoami.")
	case a.Type == ActorUser && a.Rights.HaveSomewhere(o.Right()):
		return nil
	case a.Type == ActorUser:
		return o.Right().refusal()
	case a.Has(o.Scope), o.OrScope != "" && a.Has(o.OrScope):
		return nil
	case a.Type == "":
		return NewError(Unauthorized)
	default:
		return NewError(Forbidden).With("required_scope", o.Scope)
	}
}

// Call says who makes a call, and which id it has in the log.
type Call struct {
	Actor      Actor
	RequestID  string
	Body       *FileBody    // the file of an operation with a Body; nil for others
	Project    ProjectRef   // the project of a call that names none; empty: as the operation describes
	ForModel   bool         // a model reads the answer: its defaults and its budget apply
	DeployedBy DeploySource // how a deploy was reported; empty for DeployedByAPI
	Program    Program      // the calling program, as it names itself
}

// Handler is an operation with the function that carries it out.
type Handler struct {
	op  *Operation
	run func(ctx context.Context, call Call, args map[string]any) (any, error)
}

// BindHandler ties a function to the operation that it carries out.
func BindHandler[In, Out any](op Op[In, Out], fn func(context.Context, Call, In) (Out, error)) Handler {
	return Handler{op.Operation, func(ctx context.Context, call Call, args map[string]any) (any, error) {
		var in In
		if err := decodeArgs(args, &in); err != nil {
			return nil, err
		}
		return fn(ctx, call, in)
	}}
}
