package core

// How many of the issues seen last get_source_map_state looks at, and how many of the newest stored events of each.
const (
	MapStateIssues = 40
	MapStateEvents = 4
)

// SourceMapState says what source maps did for the newest stored events of a project.
type SourceMapState struct {
	Events   int64                 `json:"events" doc:"How many events were looked at: the newest 4 of the 40 issues seen last."`
	Releases List[ReleaseMapState] `json:"releases" doc:"Those with frames of minified code; the one with the newest event first."`
}

// ReleaseMapState says how the minified frames of a release's events were mapped.
type ReleaseMapState struct {
	Release     Untrusted            `json:"release" doc:"null for events that name none."`
	LastEventAt Time                 `json:"last_event_at" always:"true"`
	Events      int64                `json:"events" doc:"Those with such frames."`
	Mapped      int64                `json:"mapped" doc:"Frames that a source map led to the original source."`
	Unmapped    int64                `json:"unmapped" doc:"Frames that should have been mapped; 20 of each event at most."`
	Missing     List[MissingMapping] `json:"missing" doc:"Why frames were not mapped: the most frequent first, 20 at most."`
}

// MissingMapping is frames of one file that were not mapped, for one reason.
type MissingMapping struct {
	Reason  string    `json:"reason" doc:"Why, and what to do."`
	Frames  int64     `json:"frames"`
	File    Untrusted `json:"file_untrusted"`
	DebugID Untrusted `json:"debug_id_untrusted" doc:"Of the file, when the event names one."`
}

// GetSourceMapStateInput names a project in the query.
type GetSourceMapStateInput struct {
	Project ProjectRef `json:"project" doc:"Public id or slug." min:"1"`
}

// GetSourceMapState declares GET /v1/sourcemaps/state.
var GetSourceMapState = DefineOperation[GetSourceMapStateInput, Data[SourceMapState]](Operation{
	Name: "get_source_map_state", Route: "GET /v1/sourcemaps/state", Scope: IssuesRead,
	Summary: "Show what source maps mapped",
	Description: "Shows per release how many frames of the newest stored events of a project a source map was found for, and why it " +
		"was not for the others.",
	Example:  `{"project": "web-shop"}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: "it is what a page shows; an event names the reason beside each frame",
})
