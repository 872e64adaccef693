// Package envelope reads what Sentry SDKs send, the native format of POST /v1/ingest (decisions 3) and that of
// POST /ingest/v1/errors (management API, 1.11) into core.Event.
//
// SplitEnvelope takes the body of the envelope endpoint apart; Decode reads the payload of an event item or the body of the
// store endpoint; DecodeNative reads the native format. They are lenient and strict in turn: an SDK cannot mend what it
// sends, so whatever makes sense of it is taken; a person who writes to the native endpoint wants to know what is wrong.
//
// DecodeNotice reads what clients of another tracker send, as leniently as Decode.
//
// The order of the pipeline matters. Decode leaves texts whole, as the scrubber has to recognise secrets in them; LimitEvent
// cuts the event to its caps after the scrubber. Decode bounds only how many things an event has.
package envelope
