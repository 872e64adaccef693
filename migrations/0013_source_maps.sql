-- +goose Up

-- The minified files of a project that have source maps. The map itself, as an index for looking positions up, is a blob
-- with a key made of project_id and id.
CREATE TABLE source_maps (
	project_id  bigint NOT NULL,
	id          bigint NOT NULL, -- a new one when the map is replaced: a blob is never written twice
	uploaded_at timestamptz NOT NULL,
	size        bigint NOT NULL, -- bytes of the index
	sources     integer NOT NULL, -- original files
	release     text NOT NULL,
	name        text NOT NULL, -- the name of the minified file, as given
	path        text NOT NULL COLLATE "C", -- the path of the name, with a slash at its start
	debug_id    text NOT NULL COLLATE "C", -- in lower case with hyphens; empty: the map has none
	uploaded_by text NOT NULL,
	PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX source_maps_path ON source_maps (project_id, release, path);
CREATE INDEX source_maps_debug_id ON source_maps (project_id, debug_id, id) WHERE debug_id <> '';
CREATE INDEX source_maps_uploaded ON source_maps (project_id, uploaded_at DESC, id DESC);
CREATE INDEX source_maps_id ON source_maps (id);
