package core

// TryScrubbingInput is a text to try the rules of a project on.
type TryScrubbingInput struct {
	Project       ProjectRef    `json:"project" doc:"Public id or slug."`
	Text          string        `json:"text" cleaned:"true" doc:"A text as an event could have it; it is stored nowhere." min:"1" max:"10000"`
	ScrubKeys     Opt[[]string] `json:"scrub_keys" doc:"Instead of the project's, to try them before they are set." max:"50"`
	ScrubPatterns Opt[[]string] `json:"scrub_patterns" doc:"Instead of the project's." max:"10" commas:"true"`
}

// ScrubbedText is what would be stored of a text.
type ScrubbedText struct {
	Text    string `json:"text" untrusted:"true"`
	Changed bool   `json:"changed" doc:"false: nothing in it was masked or removed."`
}

// TryScrubbing declares POST /v1/projects/{project}/scrubbing.
var TryScrubbing = DefineOperation[TryScrubbingInput, Data[ScrubbedText]](Operation{
	Name: "try_scrubbing", Route: "POST /v1/projects/{project}/scrubbing", Scope: Admin,
	Summary:     "Try what scrubbing does to a text",
	Description: "Shows what the rules of a project leave of a text. Nothing is stored, and the text is not logged.",
	Example:     `{"project": "web-shop", "text": "iban=DE02120300000000202051 of Ann", "scrub_keys": ["iban"]}`,
	Errors:      []Code{ProjectNotFound},
	NotATool:    "it is for the people who set the rules",
})
