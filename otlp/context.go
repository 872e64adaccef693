package otlp

import (
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"errand/core"
)

// platforms maps the names of languages that are not those of Sentry's platforms.
var platforms = map[string]string{
	"nodejs": "node", "webjs": "javascript", "dotnet": "csharp", "cpp": "native", "erlang": "elixir",
}

// platform returns the platform by the SDK's language, empty for none. An SDK for Java also runs on phones.
func (w *writer) platform() string {
	language := w.language()
	if platform, ok := platforms[language]; ok {
		return platform
	}
	for _, m := range w.resource.list {
		if m.Key == "os.name" && language == "java" && strings.EqualFold(m.Value.Text, "android") {
			return "android"
		}
	}
	return language
}

func (w *writer) language() string {
	for _, m := range w.resource.list {
		if m.Key == "telemetry.sdk.language" {
			return strings.ToLower(m.Value.Text)
		}
	}
	return ""
}

// program writes what the resource says about the program and the machine.
func (w *writer) program() []core.Member {
	platform, sdk := w.platform(), "opentelemetry"
	if language := w.language(); language != "" {
		sdk += "." + language
	}
	r := &w.resource
	return []core.Member{
		textMember("platform", platform),
		textMember("release", r.takeText("service.version")),
		textMember("environment", r.takeText("deployment.environment.name", "deployment.environment")),
		textMember("server_name", r.takeText("host.name")),
		member("sdk", object(textMember("name", sdk), textMember("version", r.takeText("telemetry.sdk.version")))),
	}
}

// user writes who was affected. The exception knows best, then the span, then the resource.
func (w *writer) user() core.Value {
	lists := []*attributes{&w.own, &w.around, &w.serving, &w.resource}
	first := func(names ...string) string {
		found := ""
		for _, list := range lists {
			if text := list.takeText(names...); found == "" {
				found = text
			}
		}
		return found
	}
	return object(
		textMember("id", first("user.id", "enduser.id")), textMember("email", first("user.email")),
		textMember("username", first("user.name")))
}

// request writes the HTTP request that the program was serving. The attributes of a span that called another program, or
// had to do with messages, are about something else.
func (w *writer) request() core.Value {
	from := &w.around
	switch kind := w.within.GetKind(); {
	case w.within == nil:
		from = &w.own
	case w.serving.list != nil && kind != tracepb.Span_SPAN_KIND_SERVER:
		from = &w.serving
	case kind == tracepb.Span_SPAN_KIND_CLIENT || kind == tracepb.Span_SPAN_KIND_PRODUCER || kind == tracepb.Span_SPAN_KIND_CONSUMER:
		return core.Value{}
	}
	method := from.takeText("http.request.method", "http.method")
	address := from.takeText("url.full", "http.url")
	scheme, host := from.takeText("url.scheme", "http.scheme"), from.takeText("server.address", "http.host", "net.host.name")
	port := from.takeText("server.port", "net.host.port")
	path, query := from.takeText("url.path", "http.target"), from.takeText("url.query")
	if address == "" && path != "" {
		address = path
		if host != "" && scheme != "" {
			if port != "" && !strings.Contains(host, ":") && port != usualPorts[scheme] {
				host += ":" + port
			}
			address = scheme + "://" + host + path
		}
	}
	headers := from.takeAll("http.request.header.")
	headers = append(headers, textMember("user-agent", from.takeText("user_agent.original", "http.user_agent")))
	return object(
		textMember("method", method), textMember("url", address), textMember("query_string", query),
		member("headers", object(headers...)))
}

var usualPorts = map[string]string{"http": "80", "https": "443"}

// contexts writes the trace, what the resource says of the runtime and the system, and all attributes that are left.
func (w *writer) contexts() core.Value {
	kind := strings.ToLower(strings.TrimPrefix(w.within.GetKind().String(), "SPAN_KIND_"))
	if w.within.GetKind() == tracepb.Span_SPAN_KIND_UNSPECIFIED {
		kind = ""
	}
	r := &w.resource
	return object(
		member("trace", object(
			textMember("trace_id", w.trace), textMember("span_id", w.span), textMember("parent_span_id", w.parent),
			textMember("op", kind), textMember("description", w.within.GetStatus().GetMessage()))),
		member("runtime", object(
			textMember("name", r.takeText("process.runtime.name")), textMember("version", r.takeText("process.runtime.version")))),
		member("os", object(textMember("name", r.takeText("os.name")), textMember("version", r.takeText("os.version")))),
		member("otel", object(
			member("resource", objectOf(r.list)), member("scope", objectOf(w.scoped.list)),
			member("attributes", objectOf(w.around.list)))),
	)
}
