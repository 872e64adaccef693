-- +goose Up

-- What tells an installation, and a restored copy of its database, from others. A store of blobs carries it as a mark.
CREATE TABLE install_identity (
	one         boolean PRIMARY KEY DEFAULT true CHECK (one),
	restored_at timestamptz, -- when this database was seen for the first time; NULL: it was never another one
	id          text NOT NULL COLLATE "C", -- a copy keeps it
	database    text NOT NULL COLLATE "C" -- digest of what a copy does not keep
);

-- Source maps with the same content share a blob. NULL: the blob has the key of the map's id.
ALTER TABLE source_maps ADD COLUMN blob text COLLATE "C";
CREATE INDEX source_maps_blob ON source_maps (project_id, blob) WHERE blob IS NOT NULL;
