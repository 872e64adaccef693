-- +goose Up

-- When the events were that first_release and last_release are of: not always the first and the last, since an event without
-- a release changes neither. NULL with a release: an older server wrote it, and it is that of first_seen or last_seen.
ALTER TABLE issues
	ADD COLUMN first_release_at timestamptz,
	ADD COLUMN last_release_at  timestamptz;
