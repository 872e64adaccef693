-- +goose Up

-- The identity of an installation: it distinguishes a restored copy of the database from the original. A store of blobs is marked with it.
CREATE TABLE install_identity (
	one         boolean PRIMARY KEY DEFAULT true CHECK (one),
	restored_at timestamptz, -- when a server first ran on this database; NULL: the installation was always on it
	id          text NOT NULL COLLATE "C", -- a copy keeps it
	database    text NOT NULL COLLATE "C" -- digest of the properties that a copy does not share
);

-- Source maps with the same content share a blob. NULL: the blob's key is made of the map's id.
ALTER TABLE source_maps ADD COLUMN blob text COLLATE "C";
CREATE INDEX source_maps_blob ON source_maps (project_id, blob) WHERE blob IS NOT NULL;
