package ingest

import (
	"mime"
	"net/http"
	"net/url"
	"strings"

	"errand/core"
	"errand/otlp"
	"errand/wire"
)

// export is what an OpenTelemetry request needs beyond other requests: it is answered in its own encoding.
type export struct {
	signal   string
	encoding otlp.Encoding
}

// signals are the kinds of data that OpenTelemetry exports, with the way to find exceptions in them. Metrics have none.
var signals = map[string]*otlp.Signal{"traces": &otlp.Traces, "logs": &otlp.Logs, "metrics": nil}

// findExportEndpoint returns the endpoint of a path after /v1/, or after the prefix of Sentry's SDKs; nil for none.
func (i *Ingest) findExportEndpoint(r *httpRequest, path string) func(*httpRequest) (any, error) {
	if _, isSignal := signals[path]; !isSignal {
		return nil
	}
	r.endpoint = endpointOTLP
	r.export = &export{path, otlp.JSON}
	if kind, err := mediaType(r); err == nil && kind != "" && kind != otlp.JSON.ContentType() {
		r.export.encoding = otlp.Protobuf
	}
	return i.serveExport
}

// mediaType returns the type of the body, empty for none.
func mediaType(r *httpRequest) (string, error) {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return "", nil
	}
	kind, _, err := mime.ParseMediaType(header)
	switch {
	case err == nil && (kind == "application/json" || kind == "application/x-protobuf"):
		return kind, nil
	case err == nil && kind == "application/protobuf": // as some clients call it
		return kind, nil
	}
	return "", core.NewError(core.UnsupportedMedia).With("supported", []string{otlp.Protobuf.ContentType(), otlp.JSON.ContentType()})
}

// exportKey returns the DSN key of an export: as Sentry's SDKs send it, as a bearer token, or as the user name. A value from
// OTEL_EXPORTER_OTLP_HEADERS may still be escaped.
func exportKey(r *httpRequest) (key, sdk string) {
	plain := r.Clone(r.Context())
	for _, name := range []string{"X-Sentry-Auth", "Authorization"} {
		if value, err := url.PathUnescape(plain.Header.Get(name)); err == nil && value != "" {
			plain.Header.Set(name, value)
		}
	}
	if c := credentialsOf(plain); c.key != "" {
		return c.key, c.sdk
	}
	if user, _, ok := plain.BasicAuth(); ok {
		return user, ""
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(plain.Header.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(token), ""
	}
	return nativeKey(plain), ""
}

// serveExport serves POST /v1/{traces,logs,metrics} and /api/{project}/integration/otlp/v1/{traces,logs,metrics}. Exceptions
// become events. All other data shows that the project is alive, and is dropped.
func (i *Ingest) serveExport(r *httpRequest) (any, error) {
	key, sdk := exportKey(r)
	r.sdk = sdk
	project, err := i.admitSender(r, key)
	if err != nil {
		return nil, err
	}
	kind, err := mediaType(r)
	if err != nil {
		return nil, err
	}
	if err := i.readBody(r); err != nil {
		return nil, err
	}
	i.reporter.noteAlive(project.ID, r.receivedAt)
	signal := signals[r.export.signal]
	if signal == nil {
		return rejection{}, nil
	}
	work := exportWork{Ingest: i, request: r, project: project, signal: *signal, statesEncoding: kind != ""}
	if err := work.prepareExport(); err != nil {
		return nil, err
	}
	return i.commitExceptions(r, work.events, work.rejected)
}

// rejection is the part of an answer about exceptions that were not taken.
type rejection struct {
	exceptions int
	reason     string
}

func (r *rejection) addRejected(exceptions int, reason string) {
	if exceptions > 0 {
		r.exceptions, r.reason = r.exceptions+exceptions, reason
	}
}

// commitExceptions commits events. It returns an error when none can be taken.
func (i *Ingest) commitExceptions(r *httpRequest, events []pendingEvent, rejected rejection) (any, error) {
	if len(events) == 0 {
		return rejected, nil
	}
	if err := i.commitEvents(r, events); err != nil {
		return nil, err
	}
	refused := 0
	for _, e := range events {
		if e.err != nil {
			refused++
			i.noteRefusedEvent(r, e.err)
			rejected.addRejected(1, core.AsError(e.err).Code.Info().Meaning)
		}
	}
	if refused == len(events) {
		return nil, events[0].err
	}
	return rejected, nil
}

// answerExport says in the export's encoding that it was taken, and which parts were not.
func (r *httpRequest) answerExport(rejected rejection) {
	r.writeExport(http.StatusOK, r.export.encoding.WriteAnswer(r.export.signal, rejected.exceptions, rejected.reason))
}

// refuseExport says in the export's encoding why it was not taken.
func (r *httpRequest) refuseExport(failure *core.Error) {
	wire.SetErrorHeaders(r.w, failure)
	r.writeExport(failure.Status(), r.export.encoding.WriteStatus(failure, strings.Join(reasonsOf(failure), "; ")))
}

func (r *httpRequest) writeExport(status int, body []byte) {
	wire.WriteBody(r.w, status, r.export.encoding.ContentType(), body)
}
