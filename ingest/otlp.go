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

// export is what is special about a request of OpenTelemetry: it is answered in its own encoding.
type export struct {
	signal   string
	encoding otlp.Encoding
}

// signals are what OpenTelemetry exports, with how exceptions are found in it. Metrics have none.
var signals = map[string]*otlp.Signal{"traces": &otlp.Traces, "logs": &otlp.Logs, "metrics": nil}

// exportEndpoint finds the endpoint of a path behind /v1/, or behind what Sentry's SDKs put before it; nil for none.
func (i *Ingest) exportEndpoint(q *request, path string) func(*request) (any, error) {
	if _, known := signals[path]; !known {
		return nil
	}
	q.endpoint = endpointOTLP
	q.export = &export{path, otlp.JSON}
	if kind, err := mediaType(q); err == nil && kind != "" && kind != otlp.JSON.ContentType() {
		q.export.encoding = otlp.Protobuf
	}
	return i.takeExport
}

// mediaType returns the type of the body, empty for none.
func mediaType(q *request) (string, error) {
	header := q.Header.Get("Content-Type")
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

// exportKey returns the DSN key of an export request: as Sentry's SDKs send it, as a bearer token, or as the user's name.
// What comes from OTEL_EXPORTER_OTLP_HEADERS may still be escaped as it was there.
func exportKey(q *request) (key, client string) {
	r := q.Clone(q.Context())
	for _, name := range []string{"X-Sentry-Auth", "Authorization"} {
		if plain, err := url.PathUnescape(r.Header.Get(name)); err == nil && plain != "" {
			r.Header.Set(name, plain)
		}
	}
	if c := credentialsOf(r); c.key != "" {
		return c.key, c.client
	}
	if user, _, ok := r.BasicAuth(); ok {
		return user, ""
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(token), ""
	}
	return nativeKey(r), ""
}

// takeExport serves POST /v1/{traces,logs,metrics} and /api/{project}/integration/otlp/v1/{traces,logs,metrics}. Exceptions
// become events; all else shows that the project lives, and is dropped.
func (i *Ingest) takeExport(q *request) (any, error) {
	key, client := exportKey(q)
	q.client = client
	p, err := i.admit(q, key)
	if err != nil {
		return nil, err
	}
	kind, err := mediaType(q)
	if err != nil {
		return nil, err
	}
	if err := i.readBody(q); err != nil {
		return nil, err
	}
	i.reporter.alive(p.ID, q.received)
	signal := signals[q.export.signal]
	if signal == nil {
		return rejection{}, nil
	}
	work := exportWork{Ingest: i, q: q, project: p, signal: *signal, typed: kind != ""}
	if err := work.run(); err != nil {
		return nil, err
	}
	return i.commitExceptions(q, work.entries, work.rejected)
}

// rejection is what an answer says of exceptions that were not taken.
type rejection struct {
	exceptions int
	reason     string
}

func (r *rejection) add(n int, reason string) {
	if n > 0 {
		r.exceptions, r.reason = r.exceptions+n, reason
	}
}

// commitExceptions commits events. It is an error when none can be taken.
func (i *Ingest) commitExceptions(q *request, entries []entry, rejected rejection) (any, error) {
	if len(entries) == 0 {
		return rejected, nil
	}
	if err := i.commit(q, entries); err != nil {
		return nil, err
	}
	refused := 0
	for _, e := range entries {
		if e.err != nil {
			refused++
			i.tell(q, e.err)
			rejected.add(1, core.AsError(e.err).Code.Info().Meaning)
		}
	}
	if refused == len(entries) {
		return nil, entries[0].err
	}
	return rejected, nil
}

// answerExport says in the request's encoding that it was taken, and what of it was not.
func (q *request) answerExport(rejected rejection) {
	q.writeExport(http.StatusOK, q.export.encoding.WriteAnswer(q.export.signal, rejected.exceptions, rejected.reason))
}

// refuseExport says in the request's encoding why it was not taken.
func (q *request) refuseExport(failure *core.Error) {
	wire.SetErrorHeaders(q.w, failure)
	q.writeExport(failure.Status(), q.export.encoding.WriteStatus(failure, strings.Join(reasonsOf(failure), "; ")))
}

func (q *request) writeExport(status int, body []byte) {
	wire.WriteBody(q.w, status, q.export.encoding.ContentType(), body)
}
