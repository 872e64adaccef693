-- +goose Up

-- Events that were counted but are not stored, or not any more, are known for a day, so that one which is sent again does
-- not count twice. NULL, which takes no room, is an event that is stored.
ALTER TABLE event_ids ADD COLUMN not_stored boolean;
CREATE INDEX event_ids_not_stored ON event_ids (received_at) WHERE not_stored;
