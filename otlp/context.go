package otlp

import (
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"errand/core"
)

// languagePlatforms maps names of languages to Sentry's platforms, where these differ.
var languagePlatforms = map[string]string{
	"nodejs": "node", "webjs": "javascript", "dotnet": "csharp", "cpp": "native", "erlang": "elixir",
}

// findPlatform returns the platform by the SDK's language, empty for none. An SDK for Java also runs on phones.
func (w *writer) findPlatform() string {
	language := w.findLanguage()
	if platform, ok := languagePlatforms[language]; ok {
		return platform
	}
	for _, m := range w.ofResource.list {
		if m.Key == "os.name" && language == "java" && strings.EqualFold(m.Value.Text, "android") {
			return "android"
		}
	}
	return language
}

func (w *writer) findLanguage() string {
	for _, m := range w.ofResource.list {
		if m.Key == "telemetry.sdk.language" {
			return strings.ToLower(m.Value.Text)
		}
	}
	return ""
}

// writeProgram writes the resource's attributes about the program and the machine.
func (w *writer) writeProgram() []core.Member {
	platform, sdk := w.findPlatform(), "opentelemetry"
	if language := w.findLanguage(); language != "" {
		sdk += "." + language
	}
	resource := &w.ofResource
	return []core.Member{
		makeTextMember("platform", platform),
		makeTextMember("release", resource.takeText("service.version")),
		makeTextMember("environment", resource.takeText("deployment.environment.name", "deployment.environment")),
		makeTextMember("server_name", resource.takeText("host.name")),
		makeMember("sdk", makeObject(makeTextMember("name", sdk), makeTextMember("version", resource.takeText("telemetry.sdk.version")))),
	}
}

// writeUser writes the affected user. The exception knows best, then the span, then the resource.
func (w *writer) writeUser() core.Value {
	lists := []*attributes{&w.ofException, &w.ofSpan, &w.ofServing, &w.ofResource}
	first := func(names ...string) string {
		found := ""
		for _, list := range lists {
			if text := list.takeText(names...); found == "" {
				found = text
			}
		}
		return found
	}
	return makeObject(
		makeTextMember("id", first("user.id", "enduser.id")), makeTextMember("email", first("user.email")),
		makeTextMember("username", first("user.name")))
}

// writeRequest writes the HTTP request that the program was serving. A span that called another program, or handled messages,
// describes a different request in its attributes.
func (w *writer) writeRequest() core.Value {
	from := &w.ofSpan
	switch kind := w.within.GetKind(); {
	case w.within == nil:
		from = &w.ofException
	case w.ofServing.list != nil && kind != tracepb.Span_SPAN_KIND_SERVER:
		from = &w.ofServing
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
	headers = append(headers, makeTextMember("user-agent", from.takeText("user_agent.original", "http.user_agent")))
	return makeObject(
		makeTextMember("method", method), makeTextMember("url", address), makeTextMember("query_string", query),
		makeMember("headers", makeObject(headers...)))
}

var usualPorts = map[string]string{"http": "80", "https": "443"}

// writeContexts writes the trace, the resource's attributes about the runtime and the system, and all attributes that are left.
func (w *writer) writeContexts() core.Value {
	kind := strings.ToLower(strings.TrimPrefix(w.within.GetKind().String(), "SPAN_KIND_"))
	if w.within.GetKind() == tracepb.Span_SPAN_KIND_UNSPECIFIED {
		kind = ""
	}
	resource := &w.ofResource
	return makeObject(
		makeMember("trace", makeObject(
			makeTextMember("trace_id", w.trace), makeTextMember("span_id", w.span), makeTextMember("parent_span_id", w.parent),
			makeTextMember("op", kind),
			makeTextMember("description", cutText(w.within.GetStatus().GetMessage(), max(w.sharedBytes, maxSharedName))))),
		makeMember("runtime", makeObject(
			makeTextMember("name", resource.takeText("process.runtime.name")),
			makeTextMember("version", resource.takeText("process.runtime.version")))),
		makeMember("os", makeObject(makeTextMember("name", resource.takeText("os.name")),
			makeTextMember("version", resource.takeText("os.version")))),
		makeMember("otel", makeObject(
			makeMember("resource", makeObjectOf(resource.list)), makeMember("scope", makeObjectOf(w.ofScope.list)),
			makeMember("attributes", makeObjectOf(w.ofSpan.list)))),
	)
}
