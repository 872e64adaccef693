-- +goose Up

-- The hash of the event's user, as in issue_users; NULL for an event without a user, and for events stored before this column.
ALTER TABLE events ADD COLUMN user_hash bytea;
