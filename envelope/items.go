package envelope

import (
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
