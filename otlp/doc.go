// Package otlp reads export requests of OpenTelemetry (OTLP/HTTP, protobuf and JSON) and makes events from the exceptions in
// them: span events with the name exception, and log records with attributes exception.* (decisions 3). Everything else is
// counted and skipped.
//
// ReadRequest walks over the request's text and notes the positions of exceptions, without decoding the messages around them: a
// request of 20 MB may hold ten million empty spans. It decodes only the messages that an exception needs, with OpenTelemetry's
// own types, one exception at a time. DecodeEvent writes the exception as an event of the Sentry protocol for envelope.Decoder to
// read, so that the rules for stacks, times, platforms and bounds are the same for every way in.
//
// The same exception is often recorded several times: by each span that it passes on its way up, by hand and again by the
// instrumentation, and in the log. keepDistinct decides which records are the same exception.
package otlp
