package core

import (
	"fmt"
	"slices"
	"strings"
)

// Event is one normalised error event, the `event` of GET /v1/events/{id} (decisions 3). All its text comes from
// the monitored application and has passed the scrubber before it is stored.
type Event struct {
	EventID     string           `json:"event_id" doc:"The SDK's id of the event: 32 hexadecimal digits."`
	Timestamp   Time             `json:"timestamp" doc:"When it happened, by the SDK's clock where that is plausible."`
	ReceivedAt  Time             `json:"received_at" doc:"When the server took it in."`
	Platform    string           `json:"platform" doc:"@event.platform"`
	Level       string           `json:"level" doc:"fatal, error, warning, info or debug."`
	Logger      Untrusted        `json:"logger"`
	Title       Untrusted        `json:"title"`
	Culprit     Untrusted        `json:"culprit"`
	Message     Untrusted        `json:"message" doc:"The message as formatted for people."`
	Transaction Untrusted        `json:"transaction"`
	Release     Untrusted        `json:"release"`
	Dist        Untrusted        `json:"dist"`
	Environment Untrusted        `json:"environment"`
	ServerName  Untrusted        `json:"server_name"`
	Exceptions  List[Exception]  `json:"exceptions" doc:"Outermost first: the exception that was reported, then its causes."`
	Threads     List[Thread]     `json:"threads"`
	Breadcrumbs List[Breadcrumb] `json:"breadcrumbs" doc:"The last 100, oldest first."`
	User        Value            `json:"user"`
	Request     *Request         `json:"request"`
	Tags        Value            `json:"tags" doc:"An object of texts."`
	Contexts    Value            `json:"contexts"`
	Extra       Value            `json:"extra"`
	SDK         SDK              `json:"sdk"`
	Fingerprint List[Untrusted]  `json:"fingerprint" doc:"What the application asked to group by; empty when it left that to Errand."`
	DebugImages List[DebugImage] `json:"debug_images"`
	Problems    List[Problem]    `json:"problems" doc:"What normalisation had to drop or cut."`

	// Facts that steer the pipeline and are not stored with the event.

	Template string  `json:"-"` // the log message before its parameters were put in; empty without parameters
	Identity string  `json:"-"` // user.id, else email, username, ip_address, before scrubbing; only its hash is stored
	Report   *Report `json:"-"` // set for a browser's report and for an error in a template
}

// Exception is one link of the chain of exceptions.
type Exception struct {
	Type      Untrusted   `json:"type"`
	Value     Untrusted   `json:"value"`
	Module    Untrusted   `json:"module"`
	Mechanism *Mechanism  `json:"mechanism"`
	Frames    List[Frame] `json:"frames" doc:"The most recent call first."`
}

// Mechanism is how an exception was caught.
type Mechanism struct {
	Type    Untrusted `json:"type"`
	Handled *bool     `json:"handled" doc:"false when nothing in the application caught it."`

	// For grouping; readers do not see these.

	Synthetic   bool   `json:"-"` // the SDK made the type up
	IsGroup     bool   `json:"-"` // an aggregate whose parts are its children
	ExceptionID *int64 `json:"-"`
	ParentID    *int64 `json:"-"`
}

// Frame is one call of a stack trace.
type Frame struct {
	Function    Untrusted       `json:"function"`
	Module      Untrusted       `json:"module"`
	Filename    Untrusted       `json:"filename"`
	AbsPath     Untrusted       `json:"abs_path"`
	Lineno      OptInt          `json:"lineno"`
	Colno       OptInt          `json:"colno"`
	InApp       bool            `json:"in_app" doc:"true for the application's own code, false for libraries."`
	ContextLine Untrusted       `json:"context_line"`
	PreContext  List[Untrusted] `json:"pre_context"`
	PostContext List[Untrusted] `json:"post_context"`
	Vars        Value           `json:"vars"`
	Source      *SourcePosition `json:"source" doc:"Where a source map says that the code was written; null when the frame was not mapped."`
}

// SourcePosition is a place in an original source file that a source map led to.
type SourcePosition struct {
	Function Untrusted `json:"function" doc:"The function that the place is in; <anonymous> for one without a name."`
	Name     Untrusted `json:"name" doc:"What the identifier here was called; at a call, the name of the function of the frame before."`
	Path     Untrusted `json:"path"`
	Line     OptInt    `json:"line" doc:"1-based."`
	Column   OptInt    `json:"column" doc:"1-based."`
}

// Thread is one thread with its stack, as far as the SDK sent it.
type Thread struct {
	ID      Untrusted   `json:"id"`
	Name    Untrusted   `json:"name"`
	Crashed bool        `json:"crashed"`
	Current bool        `json:"current"`
	Frames  List[Frame] `json:"frames" doc:"The most recent call first."`
}

// Breadcrumb is something that happened before the error.
type Breadcrumb struct {
	Timestamp Time      `json:"timestamp"`
	Type      Untrusted `json:"type"`
	Category  Untrusted `json:"category"`
	Level     Untrusted `json:"level"`
	Message   Untrusted `json:"message"`
	Data      Value     `json:"data"`
}

// Request is the HTTP request during which the error happened.
type Request struct {
	Method  Untrusted `json:"method"`
	URL     Untrusted `json:"url" doc:"Without its query."`
	Query   Value     `json:"query"`
	Headers Value     `json:"headers"`
	Cookies Value     `json:"cookies"`
	Data    Value     `json:"data"`
}

// SDK names the client that sent the event.
type SDK struct {
	Name    Untrusted `json:"name"`
	Version Untrusted `json:"version"`
}

// DebugImage ties a file of the application to its debug information.
type DebugImage struct {
	Type     Untrusted `json:"type"`
	DebugID  Untrusted `json:"debug_id"`
	CodeFile Untrusted `json:"code_file"`
}

// Problem is something that normalisation dropped or cut.
type Problem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// NotMapped is the beginning of a problem's reason when no source map was found for a frame. The rest of the reason
// says why, and what to do.
const NotMapped = "not mapped: "

// FindMapProblem returns why no source map was used for a frame, and what to do: the reason of a problem of the event, without NotMapped.
// list is exceptions or threads; owner and frame are indexes. It is empty when no such problem is known.
func (e *Event) FindMapProblem(list string, owner, frame int) string {
	path := framePath(list, owner, frame)
	for i := range e.Problems {
		if reason, isOfMap := strings.CutPrefix(e.Problems[i].Reason, NotMapped); isOfMap && e.Problems[i].Path == path {
			return reason
		}
	}
	return ""
}

// framePath is the path of a frame in the problems of its event.
func framePath(list string, owner, frame int) string {
	return fmt.Sprintf("%s.%d.frames.%d", list, owner, frame)
}

// RestatesMessage reports whether the exception only repeats the event's message: SDKs that add a stack trace to a
// message send it as an exception without a type. Their wording may differ in how parameters are formatted.
func (x *Exception) RestatesMessage(message Untrusted) bool {
	if x.Type != "" || message == "" {
		return false
	}
	isMadeUp := x.Mechanism != nil && x.Mechanism.Synthetic
	return isMadeUp || strings.TrimSpace(string(x.Value)) == strings.TrimSpace(string(message))
}

// HasAppFrames reports whether a stack trace of the event has frames of the application.
func (e *Event) HasAppFrames() bool {
	isOfApp := func(f Frame) bool { return f.InApp }
	return slices.ContainsFunc(e.Exceptions, func(x Exception) bool { return slices.ContainsFunc(x.Frames, isOfApp) }) ||
		slices.ContainsFunc(e.Threads, func(t Thread) bool { return slices.ContainsFunc(t.Frames, isOfApp) })
}

// ReportKind is the kind of a Report.
type ReportKind uint8

// The kinds of reports.
const (
	ReportCSP ReportKind = iota
	ReportExpectCT
	ReportExpectStaple
	ReportHPKP
	ReportTemplate
)

var reportKinds = [...]string{"csp", "expectct", "expectstaple", "hpkp", "template"}

// String returns the name of the kind in the Sentry protocol.
func (k ReportKind) String() string { return reportKinds[k] }

// ParseReportKind returns the kind with the name in the Sentry protocol.
func ParseReportKind(name string) (ReportKind, bool) {
	i := slices.Index(reportKinds[:], name)
	return ReportKind(max(i, 0)), i >= 0
}

// Report is what grouping needs from a browser's report about a policy, or from an error in a template.
type Report struct {
	Kind    ReportKind
	Subject string // a CSP's effective-directive without its value, a host, or the template's name
	Detail  string // what a CSP blocked, or the text of the template's line
}
