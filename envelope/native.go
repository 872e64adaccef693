package envelope

import "errand/core"

// DecodeNative is Decode for the body of POST /v1/ingest (decisions 3). The fields mean the same as in the Sentry protocol,
// but mistakes are told instead of passed over: unknown fields, wrong types, and neither message nor exception. The error is
// a core.Error, invalid_request with each mistake in its details, in the order of the body. As with Decode, call the
// scrubber and then Limit.
func (d *Decoder) DecodeNative(payload []byte, h Hints) (*core.Event, error) {
	text := clean(payload)
	c := checker{scanner: scanner{text: text}}
	if details := c.event(); len(details) > 0 {
		return nil, &core.Error{Code: core.InvalidRequest, Details: details}
	}
	d.Reset()
	e, err := d.decoder.decode(text, h)
	if err != nil {
		return nil, core.Invalid("", "%s", err)
	}
	if e.Message == "" && len(e.Exceptions) == 0 {
		return nil, core.Invalid("", "an event needs a message or an exception: give at least one of them")
	}
	return e, nil
}

// fields is the members of an object. Without open, other members are mistakes.
type fields struct {
	known map[string]check
	what  string // for messages: "an event"
	open  bool
}

// nativeEvent and the tables below it are what core.IngestEventInput documents.
var nativeEvent = fields{what: "an event", known: map[string]check{
	"event_id":    (*checker).eventID,
	"timestamp":   (*checker).timestamp,
	"level":       (*checker).level,
	"platform":    (*checker).text,
	"message":     (*checker).text,
	"exception":   (*checker).exceptions,
	"transaction": (*checker).text,
	"release":     (*checker).text,
	"environment": (*checker).text,
	"dist":        (*checker).text,
	"server_name": (*checker).text,
	"user":        objectOf(nativeUser),
	"request":     objectOf(nativeRequest),
	"tags":        (*checker).tags,
	"extra":       (*checker).anyObject,
	"contexts":    (*checker).contexts,
	"breadcrumbs": listOf(objectOf(nativeBreadcrumb)),
	"fingerprint": listOf((*checker).scalar),
	"sdk":         objectOf(nativeSDK),
}}

var nativeException = fields{what: "an exception", known: map[string]check{
	"type":       (*checker).naming,
	"value":      (*checker).naming,
	"module":     (*checker).text,
	"mechanism":  objectOf(nativeMechanism),
	"stacktrace": objectOf(nativeStacktrace),
	"stack":      (*checker).naming,
}}

// The rest takes what else the Sentry protocol has there.
var (
	nativeMechanism = fields{open: true, known: map[string]check{
		"type": (*checker).text, "handled": (*checker).boolean, "synthetic": (*checker).boolean,
		"is_exception_group": (*checker).boolean, "exception_id": (*checker).number, "parent_id": (*checker).number,
	}}
	nativeStacktrace = fields{open: true, known: map[string]check{"frames": listOf(objectOf(nativeFrame))}}
	nativeFrame      = fields{open: true, known: map[string]check{
		"function": (*checker).text, "module": (*checker).text, "filename": (*checker).text, "abs_path": (*checker).text,
		"lineno": (*checker).number, "colno": (*checker).number, "in_app": (*checker).boolean,
		"context_line": (*checker).text, "pre_context": listOf((*checker).text), "post_context": listOf((*checker).text),
		"vars": (*checker).anyObject,
	}}
	nativeUser = fields{open: true, known: map[string]check{
		"id": (*checker).scalar, "email": (*checker).text, "username": (*checker).text, "ip_address": (*checker).text,
	}}
	nativeRequest = fields{open: true, known: map[string]check{
		"method": (*checker).text, "url": (*checker).text, "query_string": (*checker).anyValue, "headers": (*checker).anyValue,
		"cookies": (*checker).anyValue, "data": (*checker).anyValue,
	}}
	nativeBreadcrumb = fields{open: true, known: map[string]check{
		"timestamp": (*checker).timestamp, "type": (*checker).text, "category": (*checker).text,
		"level": (*checker).text, "message": (*checker).text, "data": (*checker).anyValue,
	}}
	nativeSDK = fields{open: true, known: map[string]check{"name": (*checker).text, "version": (*checker).text}}
)
