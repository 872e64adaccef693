// Package otlp reads export requests of OpenTelemetry (OTLP/HTTP, protobuf and JSON) and makes events of the exceptions in
// them: span events with the name exception, and log records with attributes exception.* (decisions 3). All else is counted
// and passed over.
//
// ReadRequest walks over the request's text and notes where exceptions stand, without decoding what is around them: a request of
// 20 MB may hold ten million empty spans. Only what an exception needs is decoded, with OpenTelemetry's own messages, one
// exception at a time. DecodeEvent writes the exception as an event of the Sentry protocol for envelope.Decoder to read, so
// that the rules for stacks, times, platforms and bounds are the same for every way in.
//
// The same exception is often recorded several times: by each span that it passes through on its way up, by hand and once
// more by the instrumentation, and in the log. See keepDistinct for what counts as one.
package otlp
