-- +goose Up

-- A setup key can allow a client too. Its id is of the series of the tokens, but it is in a table of its own.
ALTER TABLE consents ADD COLUMN is_setup_key boolean NOT NULL DEFAULT false;

-- Found once, when somebody asks for the progress: looking through all issues of an app each time would be slow.
ALTER TABLE setup_apps ADD COLUMN first_event_at timestamptz;
