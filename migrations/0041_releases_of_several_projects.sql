-- +goose Up

-- What Sentry's tools report about a release, beside its deploys: the projects that one call made it for, so that a later
-- call without projects means all of them, and whether it is finalized.
ALTER TABLE releases
	ADD COLUMN released_at timestamptz, -- NULL: not finalized
	ADD COLUMN made_for bigint[] NOT NULL DEFAULT '{}'; -- project ids, this project among them; empty: not made by Sentry's tools
