package core

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
)

// Registry carries out the operations of a catalogue. Every call takes this one path, over REST and MCP alike.
type Registry struct {
	catalogue   *Catalogue
	handlers    map[*Operation]Handler
	log         *slog.Logger
	unavailable LineLimit // log lines about an unreachable database
	baseURL     func() string
}

// ReadLinksTo lets calls name an issue by its URL as well. The public URL may change later. Call it before the first call.
func (r *Registry) ReadLinksTo(baseURL func() string) { r.baseURL = baseURL }

// NewRegistry ties the operations of a catalogue to their handlers. It fails for an operation with no handler or two,
// and for a handler of an operation outside the catalogue.
func NewRegistry(catalogue *Catalogue, log *slog.Logger, handlers ...Handler) (*Registry, error) {
	r := &Registry{catalogue: catalogue, handlers: make(map[*Operation]Handler, len(handlers)), log: log}
	for _, h := range handlers {
		if !catalogue.contains(h.op) {
			return nil, fmt.Errorf("core: operation %s is not in the catalogue: is it in the list of its resource?", h.op.Name)
		}
		if _, twice := r.handlers[h.op]; twice {
			return nil, fmt.Errorf("core: operation %s has two handlers", h.op.Name)
		}
		r.handlers[h.op] = h
	}
	for _, op := range catalogue.operations {
		if _, bound := r.handlers[op]; !bound && op.ServedBy == "" {
			return nil, fmt.Errorf("core: operation %s has no handler", op.Name)
		}
	}
	return r, nil
}

// Catalogue returns the catalogue whose operations the registry carries out.
func (r *Registry) Catalogue() *Catalogue { return r.catalogue }

// Operations returns the operations that the registry carries out, in the order of their declarations.
func (r *Registry) Operations() []*Operation {
	return slices.DeleteFunc(r.catalogue.Operations(), func(op *Operation) bool { return op.ServedBy != "" })
}

// Answer is the answer of a successful call.
type Answer struct {
	Status int    // HTTP status
	Body   []byte // JSON; nil for an operation without a body
	Prose  string // what an agent reads instead of the body, for an operation with IsProse
	IsHeld bool   // the action was not done: it waits for approval

	standing *Standing // the caller's standing to the issue that was changed
}

// Call runs one operation: scope, defaults, coercion, validation, decoding, Check, handler. It changes args. Every failure is an *Error.
// Panics and unknown errors become internal with the request id, and their text goes to the log only.
func (r *Registry) Call(ctx context.Context, op *Operation, call Call, args map[string]any) (answer Answer, failure *Error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(ctx, "panic in an operation", "operation", op.Name, "request_id", call.RequestID,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			answer, failure = Answer{}, NewError(Internal).With("request_id", call.RequestID)
		}
	}()
	answer, err := r.answerCall(ctx, op, call, args)
	if err == nil && call.ForModel {
		err = r.catalogue.proposeAfterWrite(op, call.Actor, &answer, args)
	}
	if err != nil {
		return Answer{}, r.FailCall(ctx, op, call, args, err)
	}
	return answer, nil
}

// FailCall is Failure for a call. It also tells a model what to call instead.
func (r *Registry) FailCall(ctx context.Context, op *Operation, call Call, args map[string]any, err error) *Error {
	failure := r.Failure(ctx, op.Name, call.RequestID, err)
	if call.ForModel {
		r.catalogue.proposeAfterError(op, call.Actor, failure, args)
	}
	return failure
}

// answerCall runs an operation and writes its answer. If a list is too long for a model, it asks again for as many
// items as fit, so that the cursor continues after them. An answer that is still too long is cut.
func (r *Registry) answerCall(ctx context.Context, op *Operation, call Call, args map[string]any) (Answer, error) {
	if args == nil {
		args = map[string]any{}
	}
	if field := op.derive().input.byName["project"]; call.Project != "" && field != nil && args["project"] == nil {
		args["project"] = string(call.Project)
	}
	asked := maps.Clone(args)
	for again := false; ; again = true {
		ctx, standing := withStanding(ctx)
		out, err := r.runHandler(ctx, op, call, args)
		if err != nil {
			return Answer{}, err
		}
		answer, err := newAnswer(op, out, standing)
		if err != nil || !call.ForModel || !op.ReadOnly() || op.derive().isProse || fitsModel(answer.Body) {
			return answer, err
		}
		if _, isPaged := args["limit"].(json.Number); isPaged && !again {
			fitting, items, err := countFitting(answer.Body, op.derive().freeForm, ModelBudget)
			if err != nil {
				return Answer{}, err
			}
			if fitting < items {
				args = maps.Clone(asked)
				args["limit"] = json.Number(strconv.Itoa(fitting))
				continue
			}
		}
		answer.Body, err = fitBudget(answer.Body, op.derive().freeForm, ModelBudget)
		return answer, err
	}
}

// newAnswer writes the output of an operation.
func newAnswer(op *Operation, out any, standing *Standing) (answer Answer, err error) {
	answer.Status, answer.standing = op.Status, standing
	if output, ok := out.(holdable); ok {
		if out, answer.IsHeld = output.answer(); answer.IsHeld {
			answer.Status = HeldHTTPStatus
		}
	}
	if output, ok := out.(FoundOutput); ok && output.WasFound() && op.FoundStatus != 0 {
		answer.Status = op.FoundStatus
	}
	if text, ok := proseOf(out); ok {
		answer.Prose = text.Prose()
	}
	if _, none := out.(None); !none {
		answer.Body, err = marshalPlain(out)
	}
	if len(standing.warnings) > 0 && op.Warns && !answer.IsHeld && err == nil {
		answer.Body, err = appendMember(answer.Body, warningsField, standing.warnings)
	}
	if op.derive().untrusted != nil && !answer.IsHeld && err == nil {
		answer.Body, err = appendMember(answer.Body, "untrusted", op.derive().untrusted)
	}
	return answer, err
}

func (r *Registry) runHandler(ctx context.Context, op *Operation, call Call, args map[string]any) (any, error) {
	handler, ok := r.handlers[op]
	if !ok {
		return nil, NewError(NotFound)
	}
	if err := op.AuthorizeActor(call.Actor); err != nil {
		return nil, err
	}
	if err := op.derive().input.renameAliases(args); err != nil {
		return nil, err
	}
	if err := r.readIssueNames(op, args); err != nil {
		return nil, err
	}
	if err := op.derive().input.prepareArgs(args, call.ForModel); err != nil {
		return nil, err
	}
	if op.Body != nil {
		if err := op.Body.checkFile(call.Body); err != nil {
			return nil, err
		}
	}
	return handler.run(WithReach(ctx, op, call.Actor), call, args)
}

// Failure turns any error into one that a client may see, and logs the rest. No other code logs the errors of calls.
func (r *Registry) Failure(ctx context.Context, what, requestID string, err error) *Error {
	failure := AsError(err)
	switch {
	case failure.Code == Internal && ctx.Err() == nil:
		r.log.ErrorContext(ctx, "internal error", "operation", what, "request_id", requestID, "error", err)
	case failure.Code == Unavailable && ctx.Err() == nil:
		if more, due := r.unavailable.CountLine(what, time.Now()); due {
			r.log.WarnContext(ctx, "unavailable", "operation", what, "request_id", requestID, "error", err, "more_since_the_last_line", more)
		}
	}
	if failure.Code == Internal {
		return NewError(Internal).With("request_id", requestID)
	}
	return failure
}

// DecodeArgs reads a JSON object as the input of a call, keeping whole numbers exact. An empty text is an empty object.
func DecodeArgs(body []byte) (map[string]any, error) {
	args := map[string]any{}
	if len(body) == 0 {
		return args, nil
	}
	return args, decodeStrict(body, &args)
}

// MarshalPlain writes a value as it stands on the wire, without the escapes for HTML.
func MarshalPlain(v any) (json.RawMessage, error) { return marshalPlain(v) }
