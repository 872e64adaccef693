-- +goose Up

-- A setup key can allow a client too. Its id comes from the series of the tokens, but it has its own table.
ALTER TABLE consents ADD COLUMN is_setup_key boolean NOT NULL DEFAULT false;

-- Looked up once, when someone asks for the progress: reading all issues of an app each time would be slow.
ALTER TABLE setup_apps ADD COLUMN first_event_at timestamptz;
