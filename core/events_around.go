package core

// EventSearch filters the events of an issue.
type EventSearch struct {
	Release     string    `json:"release,omitempty" plain:"true" doc:"Release of the event." min:"1" max:"8192"`
	Environment string    `json:"environment,omitempty" plain:"true" doc:"Environment of the event." min:"1" max:"8192"`
	User        UserHash  `json:"user,omitempty" doc:"user_hash of an event."`
	Tag         TagFilter `json:"tag,omitempty" doc:"@listIssueEventsInput.tag"`
	Since       Since     `json:"since,omitempty" plain:"true" doc:"Happened since: 24h, 7d, or an ISO time."`
	Until       Since     `json:"until,omitempty" plain:"true" doc:"Happened before: 1h ago as 1h, or an ISO time."`
}

// GetEventsAroundInput names an event of an issue, and filters those around it.
type GetEventsAroundInput struct {
	ID    int64    `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Event EventRef `json:"event,omitempty" doc:"Id or event_id of one of its events; the latest under the filter when absent." min:"1"`
	EventSearch
}

// EventMark is an event without what it says.
type EventMark struct {
	ID         int64  `json:"id" doc:"For get_event."`
	EventID    string `json:"event_id" doc:"The SDK's id of the event."`
	Timestamp  Time   `json:"timestamp" always:"true"`
	ReceivedAt Time   `json:"received_at" always:"true"`
}

// EventsAround are the events that a reader can go to from an event.
type EventsAround struct {
	Event    *EventMark `json:"event" doc:"The event that was named, whether it passes the filter or not; null when none is there."`
	First    *EventMark `json:"first" doc:"The oldest; null when no event passes the filter, as for the others."`
	Previous *EventMark `json:"previous" doc:"The next older one; null for the oldest."`
	Next     *EventMark `json:"next" doc:"The next newer one; null for the newest."`
	Latest   *EventMark `json:"latest" doc:"The newest."`
	Complete bool       `json:"complete" doc:"@eventsAround.complete"`
}

// GetEventsAround declares GET /v1/issues/{id}/events/around.
var GetEventsAround = DefineOperation[GetEventsAroundInput, Data[EventsAround]](Operation{
	Name: "get_events_around", Route: "GET /v1/issues/{id}/events/around", Scope: IssuesRead,
	Summary: "Show which events come before and after one",
	Description: "Names the first, the previous, the next and the latest stored event of an issue around one, under the filter of " +
		"list_issue_events. Their order is that in which they arrived.",
	Example:  `{"id": 42, "event": 1001, "environment": "production"}`,
	Errors:   []Code{NotFound},
	NotATool: whyNoAgentDraws,
})
