// Package envelope reads the payloads of Sentry SDKs, the native format of POST /v1/ingest (decisions 3) and the format of POST
// /ingest/v1/errors (management API, 1.11) into core.Event.
//
// SplitEnvelope splits the body of the envelope endpoint; Decode reads the payload of an event item or the body of the store
// endpoint; DecodeNative reads the native format. Decode is lenient and DecodeNative is strict: an SDK cannot mend what it sends,
// so everything that makes sense is taken; a person who writes to the native endpoint wants to know their mistakes.
//
// DecodeNotice reads the payloads of another tracker's clients, as leniently as Decode.
//
// The order of the pipeline matters. Decode leaves texts whole, because the scrubber has to recognise secrets in them; LimitEvent
// cuts the event to its caps after the scrubber. Decode bounds only how many things an event has.
package envelope
