-- +goose Up

-- When scrubbing masks a part of a release's or an environment's name, the stored name is the masked text, the character
-- 31, and a digest of the unmasked name: the first 16 bytes of its SHA-256 in hexadecimal. That digest finds the releases
-- that someone reports, whether they were masked or not: a release that was reported before its project had a pattern still
-- meets its events. The column is generated, so that every writer gets it right. (The cast to bytes that depends on no
-- setting reads backslashes as escapes.)
ALTER TABLE deploys ADD COLUMN digest text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
		WHEN strpos(release, E'\x1f') > 0 THEN split_part(release, E'\x1f', 2)
		ELSE left(encode(sha256(decode(replace(release, '\', '\\'), 'escape')), 'hex'), 32)
	END) STORED;
-- A masked name that is a commit has a second digest behind the first one: of the commit's first 7 characters.
ALTER TABLE deploys ADD COLUMN commit_digest text COLLATE "C" NOT NULL
	GENERATED ALWAYS AS (left(encode(sha256(decode(left(commit, 7), 'escape')), 'hex'), 32)) STORED;
ALTER TABLE releases ADD COLUMN digest text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
		WHEN strpos(version, E'\x1f') > 0 THEN split_part(version, E'\x1f', 2)
		ELSE left(encode(sha256(decode(replace(version, '\', '\\'), 'escape')), 'hex'), 32)
	END) STORED;
ALTER TABLE release_commits ADD COLUMN digest text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
		WHEN strpos(release, E'\x1f') > 0 THEN split_part(release, E'\x1f', 2)
		ELSE left(encode(sha256(decode(replace(release, '\', '\\'), 'escape')), 'hex'), 32)
	END) STORED;
ALTER TABLE source_maps ADD COLUMN digest text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
		WHEN strpos(release, E'\x1f') > 0 THEN split_part(release, E'\x1f', 2)
		ELSE left(encode(sha256(decode(replace(release, '\', '\\'), 'escape')), 'hex'), 32)
	END) STORED;
CREATE INDEX deploys_digest ON deploys (project_id, digest, number);
CREATE INDEX deploys_commit_digest ON deploys (project_id, commit_digest);
CREATE INDEX releases_digest ON releases (project_id, digest);
CREATE INDEX source_maps_digest ON source_maps (project_id, digest, path);

-- Filters find the few masked names of events by their digest, or by the masked text that readers see.
CREATE INDEX issue_releases_masked ON issue_releases (project_id, split_part(release, E'\x1f', 2)) WHERE strpos(release, E'\x1f') > 0;
CREATE INDEX issue_releases_shown ON issue_releases (project_id, split_part(release, E'\x1f', 1)) WHERE strpos(release, E'\x1f') > 0;
CREATE INDEX issue_environments_masked ON issue_environments (project_id, split_part(environment, E'\x1f', 2)) WHERE strpos(environment, E'\x1f') > 0;
CREATE INDEX issue_environments_shown ON issue_environments (project_id, split_part(environment, E'\x1f', 1)) WHERE strpos(environment, E'\x1f') > 0;

-- Before this, names were compared as reported, with the space around them, which names of events never have.
UPDATE deploys SET release = btrim(release, E' \t\n\r'), environment = btrim(environment, E' \t\n\r')
WHERE release <> btrim(release, E' \t\n\r') OR environment <> btrim(environment, E' \t\n\r');
UPDATE fixes SET release = btrim(release, E' \t\n\r'), environment = btrim(environment, E' \t\n\r')
WHERE release <> btrim(release, E' \t\n\r') OR environment <> btrim(environment, E' \t\n\r');
DELETE FROM releases r USING releases o
WHERE r.version <> btrim(r.version, E' \t\n\r') AND o.project_id = r.project_id AND btrim(o.version, E' \t\n\r') = btrim(r.version, E' \t\n\r')
	AND (o.version = btrim(o.version, E' \t\n\r') OR o.id > r.id);
UPDATE releases SET version = btrim(version, E' \t\n\r') WHERE version <> btrim(version, E' \t\n\r');
DELETE FROM release_commits r USING release_commits o
WHERE r.release <> btrim(r.release, E' \t\n\r') AND o.project_id = r.project_id AND btrim(o.release, E' \t\n\r') = btrim(r.release, E' \t\n\r')
	AND (o.release = btrim(o.release, E' \t\n\r') OR o.kept_at > r.kept_at);
UPDATE release_commits r SET release = btrim(release, E' \t\n\r')
WHERE release <> btrim(release, E' \t\n\r') AND NOT EXISTS (SELECT FROM release_commits o
	WHERE o.project_id = r.project_id AND o.ctid <> r.ctid AND btrim(o.release, E' \t\n\r') = btrim(r.release, E' \t\n\r'));
UPDATE source_maps m SET release = btrim(release, E' \t\n\r')
WHERE release <> btrim(release, E' \t\n\r') AND NOT EXISTS (SELECT FROM source_maps o
	WHERE o.project_id = m.project_id AND o.path = m.path AND o.id <> m.id AND btrim(o.release, E' \t\n\r') = btrim(m.release, E' \t\n\r'));
