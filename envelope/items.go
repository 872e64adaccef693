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

// EventItem is the type of an item that is an error event.
const EventItem = "event"

// itemKinds has every type of the protocol, so that metrics by type stay bounded.
var itemKinds = map[string]ItemKind{
	EventItem:          Event,
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

// CorrectTypes gives the items that were sent as events the types that their payloads have (TypeOfEvent).
func CorrectTypes(items []Item) {
	for i := range items {
		if item := &items[i]; item.Type == EventItem {
			item.Type = TypeOfEvent(item.Payload)
			item.Kind = KindOf(item.Type)
		}
	}
}

// TypeOfEvent returns the item type of a payload that was sent as an event. The first SDKs with tracing sent transactions in this way.
// Others send user feedback, which is known by its type or because the payload contains nothing else. It reads a payload as the decoder
// does, so that no spelling makes it feedback here and an event there.
func TypeOfEvent(payload []byte) string {
	if !hasTextValue(payload, `"transaction"`) && !bytes.Contains(payload, []byte(`"feedback"`)) { // by far the most
		return EventItem
	}
	json := scanner{text: cleanPayload(payload)}
	if json.peekByte() != '{' {
		return EventItem
	}
	var named string
	var hasFeedback, hasError bool
	for m := json.enterObject(); m.nextMember(); {
		switch m.key {
		case "type":
			named = json.readStringOr("")
		case "contexts":
			hasFeedback = json.skipsFeedback()
		case "exception", "message", "logentry", "threads", "stacktrace":
			hasError = hasError || json.peekByte() != 'n' // null
			json.skipValue()
		default:
			json.skipValue()
		}
	}
	switch {
	case !json.isAtEnd():
		return EventItem
	case named == "transaction":
		return "transaction"
	case named == "feedback" || hasFeedback && !hasError:
		return "feedback"
	}
	return EventItem
}

// hasTextValue reports whether a JSON text has the value, in quotes, behind a colon: most events have a member of that name.
func hasTextValue(json []byte, value string) bool {
	for {
		i := bytes.Index(json, []byte(value))
		if i < 0 {
			return false
		}
		if before := bytes.TrimRight(json[:i], " \t\r\n"); len(before) > 0 && before[len(before)-1] == ':' {
			return true
		}
		json = json[i+len(value):]
	}
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
