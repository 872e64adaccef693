package core

var sourceMapOperations = []*Operation{
	UploadSourceMap.Operation,
	ListSourceMaps.Operation,
	DeleteSourceMap.Operation,
	GetSourceMapState.Operation,
}

// SourceMap is the map of a minified file of a release: it leads to the places in the original source.
type SourceMap struct {
	ID         int64  `json:"id"`
	ProjectID  int64  `json:"project_id"`
	Release    string `json:"release"`
	Dist       Text   `json:"dist" doc:"The build of the release, when the upload named one."`
	Name       string `json:"name" doc:"The minified file, as it was named in the upload."`
	Path       string `json:"path" doc:"The path of the name, which frames are looked up by."`
	Size       int64  `json:"size" doc:"Bytes of the index that the map became."`
	Sources    int64  `json:"sources" doc:"How many original files the map names."`
	UploadedAt Time   `json:"uploaded_at" always:"true"`
	UploadedBy string `json:"uploaded_by" untrusted:"true"`
}

// The media types of an upload's body.
const (
	SourceMapJSON  = "application/json"
	SourceMapIndex = "application/x-service-sourcemap-index"
)

// MaxSourceMap is the largest body of an upload in bytes (primary API, Limits).
const MaxSourceMap = 30 << 20

// UploadSourceMapInput is the query of POST /v1/sourcemaps. The map is the body.
type UploadSourceMapInput struct {
	Project ProjectRef `json:"project" doc:"Public id or slug." min:"1"`
	Release string     `json:"release" doc:"The version, as your events name it." min:"1" max:"200"`
	Name    string     `json:"name" doc:"The minified file: its URL, ~/path for any host, or a path." min:"1" max:"2000"`
	Dist    string     `json:"dist,omitempty" doc:"The build of the release, as your events name it: only they use the map." min:"1" max:"64"`
}

// UploadSourceMap declares POST /v1/sourcemaps. Its handler reads the map from Call.Body.
var UploadSourceMap = DefineOperation[UploadSourceMapInput, Data[SourceMap]](Operation{
	Name: "upload_source_map", Route: "POST /v1/sourcemaps", Scope: ReleasesWrite, Status: 201,
	Summary: "Upload a source map",
	Description: "Takes the source map of a minified JavaScript file: version 3 as JSON, or an index that was made of one. " +
		"Events of the release then show where the code was written, and its lines. " +
		"A new upload for the same project, release, dist and path replaces the old one. " +
		"Upload before the release is live: events are mapped as they come in.",
	Example:  `{"project": "web-shop", "release": "1.4.0", "name": "~/assets/app-3f9a.js"}`,
	Errors:   []Code{ProjectNotFound, ForbiddenProject, InvalidRequest, InvalidSourceMap, StorageNotConfigured, UnsupportedMedia, Limit},
	NotATool: "its body is a file, no arguments",
	Body: &BodyForm{Types: []string{SourceMapJSON, SourceMapIndex}, MaxBytes: MaxSourceMap,
		Doc: "The source map, or an index that was made of one."},
})

// ListSourceMapsInput filters and pages the source maps of a project.
type ListSourceMapsInput struct {
	Project ProjectRef `json:"project" doc:"Public id or slug." min:"1"`
	Release string     `json:"release,omitempty" doc:"Only of this release." min:"1" max:"200"`
	Limit   int        `json:"limit" doc:"How many to return." min:"1" max:"1000" default:"1000"`
	Cursor  Cursor     `json:"cursor,omitempty" doc:"next_cursor of the previous page." min:"1"`
}

// ListSourceMaps declares GET /v1/sourcemaps.
var ListSourceMaps = DefineOperation[ListSourceMapsInput, Page[SourceMap]](Operation{
	Name: "list_source_maps", Route: "GET /v1/sourcemaps", Scope: IssuesRead,
	Summary: "List source maps",
	Description: "Lists the source maps of a project, most recent first. " +
		"A frame that is not mapped has no map here of its path and its event's release.",
	Example: `{"project": "web-shop", "release": "1.4.0"}`,
	Errors:  []Code{ProjectNotFound},
})

// SourceMapInput names one source map.
type SourceMapInput struct {
	ID int64 `json:"id" doc:"Id of the source map." min:"1"`
}

// DeletedSourceMap is the answer to a deletion.
type DeletedSourceMap struct {
	ID      int64 `json:"id"`
	Deleted bool  `json:"deleted" doc:"true."`
}

// DeleteSourceMap declares DELETE /v1/sourcemaps/{id}.
var DeleteSourceMap = DefineOperation[SourceMapInput, Data[DeletedSourceMap]](Operation{
	Name: "delete_source_map", Route: "DELETE /v1/sourcemaps/{id}", Scope: ReleasesWrite,
	Summary:     "Delete a source map",
	Description: "Deletes a source map. Events that were mapped with it stay as they are.",
	Example:     `{"id": 41}`,
	Errors:      []Code{NotFound, ForbiddenProject},
	Destructive: true,
})
