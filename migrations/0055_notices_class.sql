-- +goose Up

-- The first events of an issue each changed its class of notices, and with it every index of issues. A burst no longer does: as long as
-- events come within one step of listed_from, the class stays as it is (store/intake/notices_settle.go). So it is not derived any more.
ALTER TABLE issues ALTER COLUMN notices_class DROP EXPRESSION;
ALTER TABLE issues ALTER COLUMN notices_class SET DEFAULT 0;
-- Issues with a lower listed_from have the class of their stored events.
ALTER TABLE projects ADD COLUMN notices_settled_at timestamptz NOT NULL DEFAULT '-infinity';
