package envelope

import (
	"bytes"
	"maps"
	"slices"
)

// ItemKind is how an envelope's item is treated.
type ItemKind uint8

// The kinds of items.
const (
	Unknown    ItemKind = iota // a type that Errand does not know: accepted and dropped
	Event                      // an error event
	SignOfLife                 // a session or transaction: dropped, but the project is alive (decisions 6)
	Dropped                    // accepted and dropped
)

// itemKinds has every type of the protocol, so that metrics by type stay bounded.
var itemKinds = map[string]ItemKind{
	"event":            Event,
	"session":          SignOfLife,
	"sessions":         SignOfLife,
	"transaction":      SignOfLife,
	"attachment":       Dropped,
	"check_in":         Dropped,
	"client_report":    Dropped,
	"feedback":         Dropped,
	"form_data":        Dropped,
	"log":              Dropped,
	"metric":           Dropped,
	"metric_buckets":   Dropped,
	"metric_meta":      Dropped,
	"nel":              Dropped,
	"otel_log":         Dropped,
	"otel_span":        Dropped,
	"profile":          Dropped,
	"profile_chunk":    Dropped,
	"raw_security":     Dropped,
	"replay_event":     Dropped,
	"replay_recording": Dropped,
	"replay_video":     Dropped,
	"security":         Dropped,
	"span":             Dropped,
	"statsd":           Dropped,
	"trace_metric":     Dropped,
	"unreal_report":    Dropped,
	"user_report":      Dropped,
	"view_hierarchy":   Dropped,
}

// KindOf returns the kind of an item type, Unknown for a type that is not in the protocol.
func KindOf(itemType string) ItemKind { return itemKinds[itemType] }

// ItemTypes returns the types in the protocol, sorted.
func ItemTypes() []string { return slices.Sorted(maps.Keys(itemKinds)) }

// DropFeedback marks user feedback that was sent as an event, so that it is accepted and dropped like a feedback item.
func DropFeedback(items []Item) {
	for i := range items {
		if item := &items[i]; item.Kind == Event && IsFeedback(item.Payload) {
			item.Type, item.Kind = "feedback", Dropped
		}
	}
}

// IsFeedback reports whether the payload of an event is user feedback: by its type, or because it contains only feedback. It
// reads a payload as the decoder does, so that no spelling makes it feedback here and an event there.
func IsFeedback(payload []byte) bool {
	if !bytes.Contains(payload, []byte(`"feedback"`)) { // by far the most
		return false
	}
	json := scanner{text: cleanPayload(payload)}
	if json.peekByte() != '{' {
		return false
	}
	var isNamed, hasFeedback, hasError bool
	for m := json.enterObject(); m.nextMember(); {
		switch m.key {
		case "type":
			isNamed = json.readStringOr("") == "feedback"
		case "contexts":
			hasFeedback = json.skipsFeedback()
		case "exception", "message", "logentry", "threads", "stacktrace":
			hasError = hasError || json.peekByte() != 'n' // null
			json.skipValue()
		default:
			json.skipValue()
		}
	}
	return json.isAtEnd() && (isNamed || hasFeedback && !hasError)
}

// skipsFeedback skips the contexts of an event, and reports whether one of them is about feedback.
func (s *scanner) skipsFeedback() (found bool) {
	if s.peekByte() != '{' {
		s.skipValue()
		return false
	}
	for m := s.enterObject(); m.nextMember(); {
		if m.key != "feedback" || s.peekByte() != '{' {
			s.skipValue()
			continue
		}
		for feedback := s.enterObject(); feedback.nextMember(); {
			found = true
			s.skipValue()
		}
	}
	return found
}
