package core

import "reflect"

// IngestEventInput is the native event of POST /v1/ingest (decisions 3). The names have the meanings of the Sentry SDK protocol; a null
// member counts as absent. Package envelope reads the event. A test there checks that it knows these fields and no others.
type IngestEventInput struct {
	EventID     string             `json:"event_id,omitempty" doc:"@ingestEventInput.event_id"`
	Timestamp   nativeTime         `json:"timestamp,omitempty" doc:"@ingestEventInput.timestamp"`
	Level       string             `json:"level,omitempty" enum:"fatal|error|warning|info|debug" doc:"error when absent."`
	Platform    string             `json:"platform,omitempty" doc:"@ingestEventInput.platform"`
	Message     string             `json:"message,omitempty" doc:"@ingestEventInput.message"`
	Exception   nativeExceptions   `json:"exception,omitempty" doc:"@ingestEventInput.exception"`
	Transaction string             `json:"transaction,omitempty" doc:"The route or task during which it happened."`
	Release     string             `json:"release,omitempty" doc:"Cut to one line of 200 characters."`
	Environment string             `json:"environment,omitempty" doc:"Such as production. Cut to one line of 64 characters."`
	Dist        string             `json:"dist,omitempty" doc:"The build of the release. Cut to one line of 64 characters."`
	ServerName  string             `json:"server_name,omitempty" doc:"The machine."`
	User        nativeUser         `json:"user,omitempty" doc:"@ingestEventInput.user"`
	Request     nativeRequest      `json:"request,omitempty" doc:"The HTTP request during which it happened."`
	Tags        nativeTags         `json:"tags,omitempty" doc:"Names and values, each cut to one line of 200 characters."`
	Extra       nativeObject       `json:"extra,omitempty" doc:"Anything else that helps."`
	Contexts    nativeContexts     `json:"contexts,omitempty" doc:"Objects by their names, such as os, runtime or device."`
	Breadcrumbs []nativeBreadcrumb `json:"breadcrumbs,omitempty" doc:"What happened before, oldest first; the last 100 are kept."`
	Fingerprint []nativeScalar     `json:"fingerprint,omitempty" doc:"@ingestEventInput.fingerprint"`
	SDK         nativeSDK          `json:"sdk,omitempty" doc:"The client that sends the event."`
}

type nativeException struct {
	Type       string           `json:"type,omitempty" doc:"@nativeException.type"`
	Value      string           `json:"value,omitempty" doc:"The exception's message."`
	Module     string           `json:"module,omitempty" doc:"Where the type is defined."`
	Mechanism  nativeMechanism  `json:"mechanism,omitempty" doc:"How it was caught."`
	Stacktrace nativeStacktrace `json:"stacktrace,omitempty" doc:"The calls that led to it."`
	Stack      string           `json:"stack,omitempty" doc:"@nativeException.stack"`
}

type nativeMechanism struct {
	Type             string  `json:"type,omitempty" doc:"What caught it, such as a framework's hook."`
	Handled          bool    `json:"handled,omitempty" doc:"false when nothing in the application caught it."`
	Synthetic        bool    `json:"synthetic,omitempty" doc:"true when the type is made up."`
	IsExceptionGroup bool    `json:"is_exception_group,omitempty" doc:"true for an aggregate of others."`
	ExceptionID      float64 `json:"exception_id,omitempty" doc:"A number for parent_id of others."`
	ParentID         float64 `json:"parent_id,omitempty" doc:"exception_id of the exception that this one is a part or the cause of."`
}

type nativeStacktrace struct {
	Frames []nativeFrame `json:"frames,omitempty" doc:"The most recent call last; 250 are kept, from both ends."`
}

type nativeFrame struct {
	Function    string       `json:"function,omitempty"`
	Module      string       `json:"module,omitempty" doc:"The module, package or class of the function."`
	Filename    string       `json:"filename,omitempty" doc:"The file, relative to the project."`
	AbsPath     string       `json:"abs_path,omitempty" doc:"The file's whole path or URL."`
	Lineno      float64      `json:"lineno,omitempty" doc:"1-based."`
	Colno       float64      `json:"colno,omitempty" doc:"1-based."`
	InApp       bool         `json:"in_app,omitempty" doc:"@nativeFrame.in_app"`
	ContextLine string       `json:"context_line,omitempty" doc:"The line of source."`
	PreContext  []string     `json:"pre_context,omitempty" doc:"The lines before it."`
	PostContext []string     `json:"post_context,omitempty" doc:"The lines after it."`
	Vars        nativeObject `json:"vars,omitempty" doc:"Local variables."`
}

type nativeUser struct {
	ID        nativeScalar `json:"id,omitempty"`
	Email     string       `json:"email,omitempty"`
	Username  string       `json:"username,omitempty"`
	IPAddress string       `json:"ip_address,omitempty" doc:"{{auto}} stands for the address that the event comes from."`
}

type nativeRequest struct {
	Method      string      `json:"method,omitempty"`
	URL         string      `json:"url,omitempty" doc:"Its query is taken out of it."`
	QueryString nativeValue `json:"query_string,omitempty" doc:"A text as in a URL, an object, or a list of pairs."`
	Headers     nativeValue `json:"headers,omitempty" doc:"An object of texts or of lists of texts, or a list of pairs."`
	Cookies     nativeValue `json:"cookies,omitempty" doc:"A text as in the header, an object, or a list of pairs."`
	Data        nativeValue `json:"data,omitempty" doc:"The body: a text, or any value."`
}

type nativeBreadcrumb struct {
	Timestamp nativeTime  `json:"timestamp,omitempty" doc:"RFC 3339, or seconds since 1970."`
	Type      string      `json:"type,omitempty" doc:"Such as http, navigation or default. Cut to one line of 200 characters."`
	Category  string      `json:"category,omitempty"`
	Level     string      `json:"level,omitempty" doc:"Cut to one line of 64 characters."`
	Message   string      `json:"message,omitempty"`
	Data      nativeValue `json:"data,omitempty" doc:"Anything else that helps."`
}

type nativeSDK struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// Types that Go cannot express: each has its own schema.
type (
	nativeTime       struct{}
	nativeScalar     struct{}
	nativeValue      struct{}
	nativeObject     struct{}
	nativeTags       struct{}
	nativeContexts   struct{}
	nativeExceptions struct{}
)

func (nativeTime) JSONSchema() Schema { return anyOfTypes("string", "number") }

func (nativeScalar) JSONSchema() Schema { return anyOfTypes("string", "number", "boolean") }

// anyOfTypes is the schema of a value of one of the types. Some clients refuse a list of types.
func anyOfTypes(types ...string) Schema {
	either := make([]any, len(types))
	for i, name := range types {
		either[i] = Schema{"type": name}
	}
	return Schema{"anyOf": either}
}

func (nativeValue) JSONSchema() Schema { return Schema{} }

func (nativeObject) JSONSchema() Schema {
	return Schema{"type": "object", "additionalProperties": true}
}

func (nativeTags) JSONSchema() Schema {
	return Schema{"type": "object", "additionalProperties": nativeScalar{}.JSONSchema()}
}

func (nativeContexts) JSONSchema() Schema {
	return Schema{"type": "object", "additionalProperties": nativeObject{}.JSONSchema()}
}

func (nativeExceptions) JSONSchema() Schema {
	one := reflector{input: true}.objectSchema(reflect.TypeFor[nativeException]())
	one["additionalProperties"] = false // as in the event itself; its parts also take other members of the Sentry protocol
	return Schema{"oneOf": []any{one, Schema{"type": "array", "items": one}}}
}
