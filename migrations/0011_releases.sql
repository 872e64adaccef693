-- +goose Up

-- The order of a project's deploys. Reporting a deploy and linking a fix both lock the row first, so that neither misses the other.
CREATE TABLE deploy_order (
	project_id bigint PRIMARY KEY,
	deploys    bigint NOT NULL, -- the number of the last deploy
	last_at    timestamptz      -- when it was; NULL: there was none
);

CREATE TABLE releases (
	project_id  bigint NOT NULL,
	id          bigint NOT NULL,
	version     text NOT NULL,
	commit      text NOT NULL, -- of the latest deploy; empty: it was not deployed
	created_at  timestamptz NOT NULL,
	deployed_at timestamptz NOT NULL, -- of the latest deploy; without one created_at
	PRIMARY KEY (project_id, version)
);
CREATE INDEX releases_deployed ON releases (project_id, deployed_at DESC, id DESC);
CREATE INDEX releases_deployed_everywhere ON releases (deployed_at DESC, id DESC);

CREATE TABLE deploys (
	project_id  bigint NOT NULL,
	number      bigint NOT NULL, -- its place in the order of the project's deploys
	id          bigint NOT NULL,
	release     text NOT NULL,
	environment text NOT NULL,
	commit      text NOT NULL COLLATE "C", -- in lower case
	source      text NOT NULL,
	deployed_at timestamptz NOT NULL,
	PRIMARY KEY (project_id, number)
);
CREATE INDEX deploys_release ON deploys (project_id, release, number DESC);
CREATE INDEX deploys_commit ON deploys (project_id, commit);

-- The commits that a deploy brought, including its own, and its pull requests: a fix may be linked after its deploy.
CREATE TABLE deploy_commits (
	project_id bigint NOT NULL,
	commit     text NOT NULL COLLATE "C",
	number     bigint NOT NULL,
	PRIMARY KEY (project_id, commit, number)
);
CREATE TABLE deploy_pull_requests (
	project_id bigint NOT NULL,
	url        text NOT NULL COLLATE "C",
	number     bigint NOT NULL,
	PRIMARY KEY (project_id, url, number)
);

-- Every fix that was ever linked. The current fix of an issue is in issues.fix_id.
CREATE TABLE fixes (
	project_id     bigint NOT NULL,
	id             bigint NOT NULL,
	issue_id       bigint NOT NULL,
	kind           text NOT NULL,
	ref            text NOT NULL COLLATE "C", -- the commit, or the URL of the pull request, in lower case
	merge_commit   text NOT NULL DEFAULT '' COLLATE "C", -- of a pull request that was merged
	linked_by_type text NOT NULL,
	linked_by      text NOT NULL,
	linked_at      timestamptz NOT NULL,
	deploy_number  bigint, -- of the first deploy that contains it; NULL: none does
	release        text NOT NULL DEFAULT '', -- this and the next columns describe that deploy
	environment    text NOT NULL DEFAULT '',
	deploy_commit  text NOT NULL DEFAULT '' COLLATE "C",
	deployed_at    timestamptz,
	verify_after   timestamptz, -- when it is verified, if the error stays away and the project shows signs of life
	verify_by      timestamptz, -- when it is verified without a sign of life
	outcome        text, -- NULL: none yet
	outcome_at     timestamptz,
	verified_at    timestamptz,
	regressed_at   timestamptz,
	regressed_in   text NOT NULL DEFAULT '', -- the release; empty: the event named none
	closed_at      timestamptz, -- another fix took its place, or the issue was resolved, ignored, reopened or merged by hand
	PRIMARY KEY (project_id, id)
);
CREATE INDEX fixes_waiting ON fixes (project_id, id) WHERE deployed_at IS NULL AND closed_at IS NULL;
CREATE INDEX fixes_watched ON fixes (verify_after) WHERE deployed_at IS NOT NULL AND outcome IS NULL AND closed_at IS NULL;
CREATE INDEX fixes_outcome ON fixes (outcome_at DESC, id DESC) WHERE outcome IS NOT NULL;
CREATE INDEX fixes_release ON fixes (project_id, release) WHERE release <> '';
CREATE INDEX fixes_regressed ON fixes (project_id, regressed_in) WHERE regressed_in <> '';

-- An event that happened after reopens_after may change its issue: reopen it, or show that its fix does not hold. All other
-- events only count. The column is derived, so it is right whatever changes the status.
ALTER TABLE issues
	ADD COLUMN fix_id bigint, -- the fix linked last; NULL: none
	ADD COLUMN fix_deployed_at timestamptz, -- of that fix
	ADD COLUMN reopens_after timestamptz GENERATED ALWAYS AS (CASE
		WHEN status = 'resolved' THEN status_at
		WHEN status IN ('fix_pending', 'verified') THEN fix_deployed_at
	END) STORED;

-- What happened to issues that someone may want to know about, written with the change. Rows are dropped after a day.
CREATE TABLE issue_alerts (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	alert      text NOT NULL, -- issue.new, issue.regressed, issue.verified
	at         timestamptz NOT NULL,
	PRIMARY KEY (project_id, issue_id, alert, at)
);
CREATE INDEX issue_alerts_at ON issue_alerts USING brin (at);
