-- +goose Up

-- What Sentry's tools say about a release, beside its deploys: which projects it was made for in one call, so that a later call that
-- names none is for all of them, and that it is finalized.
ALTER TABLE releases
	ADD COLUMN released_at timestamptz, -- NULL: nobody said so
	ADD COLUMN made_for bigint[] NOT NULL DEFAULT '{}'; -- project ids, this project among them; empty: not made by Sentry's tools
