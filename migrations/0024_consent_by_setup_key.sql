-- +goose Up

-- A setup key can allow a client too. Its id is of the series of the tokens, but it is in a table of its own.
ALTER TABLE consents ADD COLUMN is_setup_key boolean NOT NULL DEFAULT false;
