package envelope

import (
	"strings"

	"errand/core"
)

// DecodeNative is Decode for the body of POST /v1/ingest (decisions 3). The fields mean the same as in the Sentry protocol, but
// mistakes are errors instead of being skipped: unknown fields, wrong types, neither message nor exception. The error is a
// core.Error, invalid_request with each mistake in its details, in the order of the body. As with Decode, call the scrubber and
// then LimitEvent.
func (d *Decoder) DecodeNative(payload []byte, hints Hints) (*core.Event, error) {
	text := cleanPayload(payload)
	c := checker{json: scanner{text: text}}
	if details := c.checkEvent(); len(details) > 0 {
		return nil, &core.Error{Code: core.InvalidRequest, Details: details}
	}
	d.Reset()
	event, err := d.decoder.decodeEvent(text, hints)
	if err != nil {
		return nil, core.RefuseField("", "%s", err)
	}
	if strings.TrimSpace(string(event.Message)) == "" && len(event.Exceptions) == 0 {
		return nil, core.RefuseField("", "an event needs a message or an exception: give at least one of them")
	}
	return event, nil
}

// nativeObject describes the members of an object. Unless it is open, other members are mistakes.
type nativeObject struct {
	checks       map[string]valueCheck
	name         string // for messages: "an event"
	allowsOthers bool
}

// nativeEvent and the tables below it match the documentation in core.IngestEventInput.
var nativeEvent = nativeObject{name: "an event", checks: map[string]valueCheck{
	"event_id":    (*checker).checkEventID,
	"timestamp":   (*checker).checkTimestamp,
	"level":       (*checker).checkLevel,
	"platform":    (*checker).checkText,
	"message":     (*checker).checkText,
	"exception":   (*checker).checkExceptions,
	"transaction": (*checker).checkText,
	"release":     (*checker).checkText,
	"environment": (*checker).checkText,
	"dist":        (*checker).checkText,
	"server_name": (*checker).checkText,
	"user":        checkObjectOf(nativeUser),
	"request":     checkObjectOf(nativeRequest),
	"tags":        (*checker).checkTags,
	"extra":       (*checker).checkAnyObject,
	"contexts":    (*checker).checkContexts,
	"breadcrumbs": checkListOf(checkObjectOf(nativeBreadcrumb)),
	"fingerprint": checkListOf((*checker).checkScalar),
	"sdk":         checkObjectOf(nativeSDK),
}}

var nativeException = nativeObject{name: "an exception", checks: map[string]valueCheck{
	"type":       (*checker).checkNaming,
	"value":      (*checker).checkNaming,
	"module":     (*checker).checkText,
	"mechanism":  checkObjectOf(nativeMechanism),
	"stacktrace": checkObjectOf(nativeStacktrace),
	"stack":      (*checker).checkNaming,
}}

// The remaining tables accept the other fields that the Sentry protocol has in these places.
var (
	nativeMechanism = nativeObject{allowsOthers: true, checks: map[string]valueCheck{
		"type": (*checker).checkText, "handled": (*checker).checkBoolean, "synthetic": (*checker).checkBoolean,
		"is_exception_group": (*checker).checkBoolean, "exception_id": (*checker).checkNumber, "parent_id": (*checker).checkNumber,
	}}
	nativeStacktrace = nativeObject{allowsOthers: true, checks: map[string]valueCheck{"frames": checkListOf(checkObjectOf(nativeFrame))}}
	nativeFrame      = nativeObject{allowsOthers: true, checks: map[string]valueCheck{
		"function": (*checker).checkText, "module": (*checker).checkText, "filename": (*checker).checkText,
		"abs_path": (*checker).checkText,
		"lineno":   (*checker).checkNumber, "colno": (*checker).checkNumber, "in_app": (*checker).checkBoolean,
		"context_line": (*checker).checkText, "pre_context": checkListOf((*checker).checkText),
		"post_context": checkListOf((*checker).checkText),
		"vars":         (*checker).checkAnyObject,
	}}
	nativeUser = nativeObject{allowsOthers: true, checks: map[string]valueCheck{
		"id": (*checker).checkScalar, "email": (*checker).checkText, "username": (*checker).checkText, "ip_address": (*checker).checkText,
	}}
	nativeRequest = nativeObject{allowsOthers: true, checks: map[string]valueCheck{
		"method": (*checker).checkText, "url": (*checker).checkText, "query_string": (*checker).takeAnyValue,
		"headers": (*checker).takeAnyValue,
		"cookies": (*checker).takeAnyValue, "data": (*checker).takeAnyValue,
	}}
	nativeBreadcrumb = nativeObject{allowsOthers: true, checks: map[string]valueCheck{
		"timestamp": (*checker).checkTimestamp, "type": (*checker).checkText, "category": (*checker).checkText,
		"level": (*checker).checkText, "message": (*checker).checkText, "data": (*checker).takeAnyValue,
	}}
	nativeSDK = nativeObject{allowsOthers: true,
		checks: map[string]valueCheck{"name": (*checker).checkText, "version": (*checker).checkText}}
)
