package envelope

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Kind says what becomes of an envelope's item.
type Kind uint8

// The kinds of items.
const (
	Unknown    Kind = iota // a type that Errand does not know: taken and dropped
	Event                  // an error event
	SignOfLife             // a session or transaction: dropped, but the project is alive (decisions 6)
	Dropped                // taken and dropped
)

// kinds has every type of the protocol, so that metrics by type stay bounded.
var kinds = map[string]Kind{
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

// KindOf gives the kind of an item by its type, Unknown for a type that the protocol does not have.
func KindOf(itemType string) Kind { return kinds[itemType] }

// ItemTypes gives the types that the protocol has, sorted.
func ItemTypes() []string { return slices.Sorted(maps.Keys(kinds)) }

// DropFeedback marks what was sent as an event but is a user's feedback, so that it is taken and dropped like an item of
// that type.
func DropFeedback(items []Item) {
	for i := range items {
		if item := &items[i]; item.Kind == Event && IsFeedback(item.Payload) {
			item.Type, item.Kind = "feedback", Dropped
		}
	}
}

// IsFeedback reports whether the payload of an event is a user's feedback: by its type, or because feedback is all that
// it has.
func IsFeedback(payload []byte) bool {
	if !bytes.Contains(payload, []byte(`"feedback"`)) { // by far the most
		return false
	}
	var e struct {
		Type, Exception, Message, Logentry, Threads, Stacktrace json.RawMessage
		Contexts                                                json.RawMessage
	}
	if json.Unmarshal(payload, &e) != nil {
		return false
	}
	if string(e.Type) == `"feedback"` {
		return true
	}
	for _, part := range []json.RawMessage{e.Exception, e.Message, e.Logentry, e.Threads, e.Stacktrace} {
		if len(part) > 0 && string(part) != "null" {
			return false
		}
	}
	var contexts struct {
		Feedback map[string]json.RawMessage
	}
	return json.Unmarshal(e.Contexts, &contexts) == nil && len(contexts.Feedback) > 0
}
