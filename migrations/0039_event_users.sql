-- +goose Up

-- Of the user of the event, as in issue_users; NULL for an event without one, and for those of before.
ALTER TABLE events ADD COLUMN user_hash bytea;
